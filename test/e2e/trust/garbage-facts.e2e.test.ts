import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ownControllerConfigAnnotations } from '../../../src/api/annotations.ts'
import { inputDegraded } from '../../../src/api/conditions.ts'
import { nodePaths } from '../../../src/api/node-paths.ts'
import type { ControllerConfig } from '../../../src/api/resources.ts'
import { controllerConfigs } from '../../../src/api/resources.ts'
import { configMaps } from '@machinist/kube/kinds/core'
import { ca } from '@machinist/testing/certificates'
import { WholeLane } from '../../integration/trust/whole-lane.ts'

/*
 * A cluster that is no OpenShift says in a ConfigMap what it is like. Each of its keys is given garbage: what it said last
 * stays in force, on nodes, too, and what changes at the same moment reaches them.
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

/** By key: the inputs that complain. */
const inputs: Readonly<Record<string, readonly string[]>> = {
  // It also says whether there has to be a cloud.
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
  await lane.until('the ControllerConfig is whole', async () => {
    const found = await config()
    return found !== undefined && Object.keys(complaintsIn(found)).length === 0 && isWhole(found)
  })
  await lane.allCurrent()
})
afterAll(() => lane[Symbol.asyncDispose]())

const config = (): Promise<ControllerConfig | undefined> =>
  lane.find(controllerConfigs, { name: 'machine-config-controller' })

const isWhole = ({ metadata, spec }: ControllerConfig): boolean =>
  metadata.annotations?.['machineconfiguration.openshift.io/generated-by-version'] === '1.2.3' &&
  spec.additionalTrustBundle !== null

/** By input: why it cannot be used. */
function complaintsIn({ status }: ControllerConfig): Record<string, string> {
  const bad = (status?.conditions ?? []).filter(
    ({ type, status: is }) => is === 'True' && type.startsWith(inputDegraded('')),
  )
  return Object.fromEntries(
    bad.map(({ type, message = '' }) => [type.slice(inputDegraded('').length), message]),
  )
}

/** Something else that changes, and whether all nodes have it. */
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

const say = (data: Readonly<Record<string, string>>): Promise<unknown> =>
  lane.client.replace(configMaps, { metadata: facts, data })

/** All that must not change because of garbage. */
async function inForce(): Promise<unknown> {
  const { metadata, spec } = (await config())!
  const { certificateDelivery, containerRuntime } = ownControllerConfigAnnotations
  const said = [certificateDelivery, containerRuntime].map((each) => metadata.annotations?.[each])
  const { kubeAPIServerServingCAData: _, ...rest } = spec
  return [said, rest, await Promise.all(lane.nodes.map((node) => node.read(registryCA)))]
}

describe('every key', () => {
  it.each([
    ['garbage', '{ CANARY'],
    ['another type', '[CANARY, 5]'],
    ['1 MB', `{ CANARY: ${'x'.repeat(100_000)}`],
    ['half a text', 'spec: { trustedCA: { name: "CANARY'],
    ['a bomb', `a: &a [CANARY]\nb: &b [*a, *a, *a]\nc: [*b, *b, *b`],
  ])('is given %s', async (_, text) => {
    const before = await inForce()
    const [hasArrived] = await Promise.all([
      changeAnother(),
      say(Object.fromEntries(Object.keys(good).map((key) => [key, text]))),
    ])
    await lane.until('something else reaches all nodes', hasArrived)
    const wanted = Object.values(inputs).flat().sort()
    let said: Record<string, string> = {}
    await lane.until('every input complains', async () => {
      said = complaintsIn((await config())!)
      return wanted.every((input) => said[input] !== undefined)
    })
    for (const [key, names] of Object.entries(inputs)) {
      for (const name of names) {
        expect(said[name]).toContain(`ConfigMap ${facts.namespace}/${facts.name}, key ${key}`)
      }
    }
    expect(JSON.stringify(said)).not.toContain('CANARY')
    expect(await inForce()).toEqual(before)
    await say(good)
    await lane.until('nobody complains', async () => {
      return Object.keys(complaintsIn((await config())!)).length === 0
    })
    expect(await inForce()).toEqual(before)
  })

  it.each(Object.keys(good))('%s is bad alone, and the others are not', async (key) => {
    await say({ ...good, [key]: '{' })
    await lane.until('it is said', async () => {
      const said = Object.keys(complaintsIn((await config())!))
      return said.sort().join() === [...inputs[key]!].sort().join()
    })
    await say(good)
    await lane.until('nobody complains', async () => {
      return Object.keys(complaintsIn((await config())!)).length === 0
    })
    expect(isWhole((await config())!)).toBe(true)
  })
})

describe('the ConfigMap', () => {
  it('with CRLF, comments and another order is the same', async () => {
    const before = await inForce()
    const texts = Object.entries(good).toReversed()
    await say(
      Object.fromEntries(texts.map(([key, text]) => [key, `# a comment\r\n${text}\r\n\r\n`])),
    )
    await lane.until('something else reaches all nodes', await changeAnother())
    expect(await inForce()).toEqual(before)
    expect(complaintsIn((await config())!)).toEqual({})
  })

  it('that is gone takes nothing away', async () => {
    const before = await inForce()
    await lane.client.remove(configMaps, facts)
    await lane.until('it is said', async () =>
      (complaintsIn((await config())!)['cluster-facts'] ?? '').includes('is gone'),
    )
    await lane.until('something else reaches all nodes', await changeAnother())
    expect(await inForce()).toEqual(before)
    await lane.client.create(configMaps, { metadata: facts, data: good })
    await lane.until('nobody complains', async () => {
      return Object.keys(complaintsIn((await config())!)).length === 0
    })
  })
})
