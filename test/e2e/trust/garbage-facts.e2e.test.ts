import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { configMaps } from '@machinist/kube/kinds/core'
import { ca } from '@machinist/testing/certificates/certificates'
import { ownControllerConfigAnnotations } from '../../../src/api/annotations.ts'
import { inputDegraded } from '../../../src/api/conditions.ts'
import { nodePaths } from '../../../src/api/node-paths.ts'
import type { ControllerConfig } from '../../../src/api/kinds/resources.ts'
import { controllerConfigs } from '../../../src/api/kinds/resources.ts'
import { WholeLane } from '../../integration/trust/whole-lane.ts'

/*
 * A cluster without OpenShift is described by a ConfigMap. Each of its keys gets garbage: the last valid value stays in force,
 * also on nodes, and other changes at the same time reach the nodes.
 */
let lane: WholeLane
const facts = { namespace: 'openshift-machine-config-operator', name: 'machinist-cluster' }
const [kubelet, registry, user, proxy] = (await Promise.all(
  ['kubelet', 'registry', 'user', 'proxy'].map((name) => ca(name)),
)) as [string, string, string, string]
const registryCA = '/etc/docker/certs.d/quay.example/ca.crt'

const good: Readonly<Record<string, string>> = {
  infrastructure: 'status: { platformStatus: { type: None } }',
  network: 'spec: { serviceNetwork: [10.96.0.0/12] }',
  proxy: 'spec: { trustedCA: { name: proxy-ca } }',
  dns: 'spec: { baseDomain: one.example.com }',
  image: 'spec: { additionalTrustedCA: { name: registry-cas } }',
  images: 'infraImageKey: quay.example/pause',
  certificateDelivery: 'direct',
  containerRuntime: 'crio',
}

/** By key: the inputs that become degraded. */
const inputs: Readonly<Record<string, readonly string[]>> = {
  // The platform decides whether a cloud CA is required.
  infrastructure: ['infrastructure', 'cloud-ca'],
  network: ['network'],
  proxy: ['proxy', 'trust-bundle'],
  dns: ['dns'],
  image: ['registry-cas-user'],
  images: ['images'],
  certificateDelivery: ['certificate-delivery'],
  containerRuntime: ['container-runtime'],
}

beforeAll(async () => {
  lane = await WholeLane.open()
  const make = (namespace: string, name: string, data: Record<string, string>): Promise<unknown> =>
    lane.client.create(configMaps, { metadata: { namespace, name }, data })
  await make('kube-system', 'bootstrap', {})
  await make('kube-system', 'root-ca', { 'ca.crt': user })
  await make('openshift-config', 'user-ca-bundle', { 'ca-bundle.crt': user })
  await make('openshift-config', 'proxy-ca', { 'ca-bundle.crt': proxy })
  await make('openshift-config', 'registry-cas', { 'quay.example': registry })
  await make('openshift-config-managed', 'kube-apiserver-client-ca', { 'ca-bundle.crt': kubelet })
  await make('openshift-config-managed', 'kube-apiserver-server-ca', { 'ca-bundle.crt': user })
  await make(facts.namespace, facts.name, good)
  lane.operate()
  for (const name of ['one', 'two']) (await lane.join(name)).on()
  await lane.until('the ControllerConfig is complete', async () => {
    const found = await config()
    return (
      found !== undefined && Object.keys(degradedInputs(found)).length === 0 && isComplete(found)
    )
  })
  await lane.allCurrent()
})
afterAll(() => lane[Symbol.asyncDispose]())

const config = (): Promise<ControllerConfig | undefined> =>
  lane.find(controllerConfigs, { name: 'machine-config-controller' })

const isComplete = ({ metadata, spec }: ControllerConfig): boolean =>
  metadata.annotations?.['machineconfiguration.openshift.io/generated-by-version'] === '1.2.3' &&
  spec.additionalTrustBundle !== null

/** By input: the message of its condition. */
function degradedInputs({ status }: ControllerConfig): Record<string, string> {
  const bad = (status?.conditions ?? []).filter(
    ({ type, status: is }) => is === 'True' && type.startsWith(inputDegraded('')),
  )
  return Object.fromEntries(
    bad.map(({ type, message = '' }) => [type.slice(inputDegraded('').length), message]),
  )
}

/** Changes another source. The returned function returns whether all nodes have it. */
let changes = 0
async function changeAnother(): Promise<() => Promise<boolean>> {
  const text = `${kubelet}# ${++changes}\n`
  await lane.client.replace(configMaps, {
    metadata: { namespace: 'openshift-config-managed', name: 'kube-apiserver-client-ca' },
    data: { 'ca-bundle.crt': text },
  })
  return async () => {
    const found = await Promise.all(lane.nodes.map((node) => node.read(nodePaths.kubeletCA)))
    return found.every((each) => each === text)
  }
}

const setFacts = (data: Readonly<Record<string, string>>): Promise<unknown> =>
  lane.client.replace(configMaps, { metadata: facts, data })

/** Everything that garbage must not change. */
async function inForce(): Promise<unknown> {
  const { metadata, spec } = (await config())!
  const { certificateDelivery, containerRuntime } = ownControllerConfigAnnotations
  const annotations = [certificateDelivery, containerRuntime].map(
    (each) => metadata.annotations?.[each],
  )
  const { kubeAPIServerServingCAData: _, ...rest } = spec
  return [annotations, rest, await Promise.all(lane.nodes.map((node) => node.read(registryCA)))]
}

describe('every key', () => {
  it.each([
    ['garbage', '{ CANARY'],
    ['another type', '[CANARY, 5]'],
    ['1 MB', `{ CANARY: ${'x'.repeat(100_000)}`],
    ['half a text', 'spec: { trustedCA: { name: "CANARY'],
    ['a bomb', `a: &a [CANARY]\nb: &b [*a, *a, *a]\nc: [*b, *b, *b`],
  ])('may contain %s', async (_, text) => {
    const before = await inForce()
    const [hasArrived] = await Promise.all([
      changeAnother(),
      setFacts(Object.fromEntries(Object.keys(good).map((key) => [key, text]))),
    ])
    await lane.until('the other change reaches all nodes', hasArrived)
    const expected = Object.values(inputs).flat().sort()
    let messages: Record<string, string> = {}
    await lane.until('every input is degraded', async () => {
      messages = degradedInputs((await config())!)
      return expected.every((input) => messages[input] !== undefined)
    })
    for (const [key, names] of Object.entries(inputs)) {
      for (const name of names) {
        expect(messages[name]).toContain(`ConfigMap ${facts.namespace}/${facts.name}, key ${key}`)
      }
    }
    expect(JSON.stringify(messages)).not.toContain('CANARY')
    expect(await inForce()).toEqual(before)
    await setFacts(good)
    await lane.until('no input is degraded', async () => {
      return Object.keys(degradedInputs((await config())!)).length === 0
    })
    expect(await inForce()).toEqual(before)
  })

  it.each(Object.keys(good))('an invalid %s does not affect the others', async (key) => {
    await setFacts({ ...good, [key]: '{' })
    await lane.until('its inputs are degraded', async () => {
      const degraded = Object.keys(degradedInputs((await config())!))
      return degraded.sort().join() === [...inputs[key]!].sort().join()
    })
    await setFacts(good)
    await lane.until('no input is degraded', async () => {
      return Object.keys(degradedInputs((await config())!)).length === 0
    })
    expect(isComplete((await config())!)).toBe(true)
  })
})

describe('the ConfigMap', () => {
  it('has the same meaning with CRLF, comments and another order', async () => {
    const before = await inForce()
    const texts = Object.entries(good).toReversed()
    await setFacts(
      Object.fromEntries(texts.map(([key, text]) => [key, `# a comment\r\n${text}\r\n\r\n`])),
    )
    await lane.until('the other change reaches all nodes', await changeAnother())
    expect(await inForce()).toEqual(before)
    expect(degradedInputs((await config())!)).toEqual({})
  })

  it('may be deleted without effect on nodes', async () => {
    const before = await inForce()
    await lane.client.remove(configMaps, facts)
    await lane.until('the deletion is reported', async () =>
      (degradedInputs((await config())!)['cluster-facts'] ?? '').includes('was deleted'),
    )
    await lane.until('the other change reaches all nodes', await changeAnother())
    expect(await inForce()).toEqual(before)
    await lane.client.create(configMaps, { metadata: facts, data: good })
    await lane.until('no input is degraded', async () => {
      return Object.keys(degradedInputs((await config())!)).length === 0
    })
  })
})
