import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { isNotFound } from '@machinist/kube/failure'
import { configMaps, namespaces, nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { readBundle } from '@machinist/pki/bundle'
import { until } from '@machinist/testing/until'
import type { NodeTrustItem } from '../../../../src/api/kinds/node-trust.ts'
import { nodePaths } from '../../../../src/api/node-paths.ts'
import { controllerConfigs, nodeTrusts } from '../../../../src/api/kinds/resources.ts'
import { fingerprintsDigest } from '../../../../src/api/trust/digests.ts'
import { runKubeletTurns } from '../../../support/kubelet-turns.ts'
import type { Machine } from '../cluster/machine.ts'
import { scene } from '../cluster/scene.ts'
import { config } from '../follow/facts.ts'
import { base64, bundle } from './certificates.ts'
import { kubeconfig } from './kubelet-node.ts'
import { specOf } from './trial.ts'

const operator = 'openshift-machine-config-operator'
const data = { namespace: operator, name: 'kubeconfig-data' }
const own = { name: 'machine-config-controller' }
const [bootstrap, kubelets] = [nodePaths.bootstrapKubeconfig, nodePaths.kubeletKubeconfig]
const rotate = 'machineconfiguration.openshift.io/service-ca-rotate'
const digests = 'machinist.dev/trust-digests'

const cluster = scene()
const stop = new AbortController()
let turns: Promise<void>

beforeAll(async () => {
  const { client } = cluster.api
  await client.create(namespaces, { metadata: { name: operator } })
  const binaryData = { 'ca-bundle.crt': base64(await bundle('a')) }
  await client.create(configMaps, { metadata: data, binaryData })
  await client.create(controllerConfigs, { metadata: own, spec: specOf({}) })
})

beforeAll(() => {
  turns = runKubeletTurns(cluster.api.client, stop.signal)
})
afterAll(async () => {
  stop.abort()
  await turns
})

beforeEach(async () => {
  await give('a')
  await annotate({ [rotate]: 'false', [digests]: null })
})

async function give(...letters: string[]): Promise<void> {
  const binaryData = { 'ca-bundle.crt': base64(await bundle(...letters)) }
  await cluster.api.client.patch(configMaps, data, mergePatch({ binaryData }))
}

async function annotate(annotations: Record<string, string | null>): Promise<void> {
  await cluster.api.client.patch(controllerConfigs, own, mergePatch({ metadata: { annotations } }))
}

/** Writes ConfigMap and digest as Machinist's operator does. */
async function giveWithDigest(...letters: string[]): Promise<void> {
  const { bundle: certificates } = readBundle(await bundle(...letters))
  await give(...letters)
  await annotate({
    [digests]: JSON.stringify({ 'api-server-ca': fingerprintsDigest(certificates.keys()) }),
  })
}

async function joined(name: string, labels: Record<string, string> = {}): Promise<Machine> {
  const made = await cluster.machine(name, { trustJitterMs: 0 }).joined(config(`of-${name}`))
  await made.client.patch(nodes, { name }, mergePatch({ metadata: { labels } }))
  for (const path of [bootstrap, kubelets]) await made.put(path, kubeconfig(await bundle('a')))
  await made.put('/etc/systemd/system/kubelet.service', '[Service]\n')
  return made
}

const restarts = ({ host }: Machine): number =>
  host.actions.filter((each) => each.type === 'restart' && each.unit === 'kubelet.service').length

async function line({ client, name }: Machine): Promise<NodeTrustItem | undefined> {
  try {
    const { status } = await client.get(nodeTrusts, { name })
    return status?.items?.find((item) => item.name === 'api-server-ca')
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

async function untilLoaded(machine: Machine): Promise<void> {
  const isLoaded = async (): Promise<boolean> => (await line(machine))?.loadedAt !== undefined
  await machine.until('the kubelet has loaded it', isLoaded, 500)
}

const heldCAs = async (machine: Machine): Promise<string[]> =>
  Promise.all([bootstrap, kubelets].map((path) => machine.read(path)))

describe("OpenShift's operator", () => {
  it('announces a rotation of the CA with a pulse', async () => {
    const node = await joined('pulsed')
    node.start()
    await node.until('the item is current', async () => (await line(node))?.state === 'Current')
    expect(restarts(node)).toBe(0)
    await give('a', 'b')
    await annotate({ [rotate]: 'true' })
    await untilLoaded(node)
    await annotate({ [rotate]: 'false' })
    const both = kubeconfig(await bundle('a', 'b'))
    expect([await heldCAs(node), restarts(node)]).toEqual([[both, both], 1])
    expect(await line(node)).toMatchObject({
      state: 'Current',
      paths: ['/etc/kubernetes/kubeconfig', '/var/lib/kubelet/kubeconfig'],
      source: { kind: 'ConfigMap', namespace: operator, name: 'kubeconfig-data' },
    })
  })

  it('that announced a rotation while a node was off is followed when the node is back', async () => {
    const node = await joined('was-off')
    await give('a', 'b')
    await annotate({ [rotate]: 'true' })
    await annotate({ [rotate]: 'false' })
    node.start()
    await untilLoaded(node)
    const both = kubeconfig(await bundle('a', 'b'))
    expect([await heldCAs(node), restarts(node)]).toEqual([[both, both], 1])
  })

  it('that announces the same CAs in another order causes no restart', async () => {
    await give('a', 'b')
    const node = await joined('ordered')
    for (const path of [bootstrap, kubelets])
      await node.put(path, kubeconfig(await bundle('a', 'b')))
    node.start()
    await node.until('the item is current', async () => (await line(node))?.state === 'Current')
    await give('b', 'a')
    await annotate({ [rotate]: 'true' })
    // A change of another item shows that the node has handled the announcement.
    const spec = { kubeAPIServerServingCAData: base64(await bundle('c')) }
    await cluster.api.client.patch(controllerConfigs, own, mergePatch({ spec }))
    await node.until('the other item is delivered', async () => {
      return (await node.host.files.stat(nodePaths.kubeletCA)) !== undefined
    })
    await node.clock.advance(60_000)
    const same = kubeconfig(await bundle('a', 'b'))
    expect([await heldCAs(node), restarts(node)]).toEqual([[same, same], 0])
  })
})

describe("Machinist's operator", () => {
  it('announces a digest, and two control plane nodes restart their kubelets in turn', async () => {
    const labels = { 'node-role.kubernetes.io/master': '' }
    const both = [await joined('master-0', labels), await joined('master-1', labels)]
    await giveWithDigest('a', 'b')
    for (const node of both) node.start()
    await until('both kubelets have loaded it', async () => {
      for (const { clock } of both) await clock.advance(500)
      const found = await Promise.all(both.map(line))
      return found.every((each) => each?.loadedAt !== undefined)
    })
    const found = await Promise.all(both.map(line))
    expect(found.map((each) => each?.state)).toEqual(['Current', 'Current'])
    expect(both.map(restarts)).toEqual([1, 1])
  })
})
