import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { NodeTrustItem } from '../../../../src/api/kinds/node-trust.ts'
import { nodePaths } from '../../../../src/api/node-paths.ts'
import { controllerConfigs, nodeTrusts } from '../../../../src/api/resources.ts'
import { fingerprintsDigest } from '../../../../src/api/trust/digests.ts'
import { isNotFound } from '@machinist/kube/failure'
import { configMaps, namespaces, nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { readBundle } from '@machinist/pki/bundle'
import { runKubeletTurns } from '../../../support/kubelet-turns.ts'
import { until } from '@machinist/testing/until'
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

const world = scene()
const stop = new AbortController()
let turns: Promise<void>

beforeAll(async () => {
  const { client } = world.api
  await client.create(namespaces, { metadata: { name: operator } })
  const binaryData = { 'ca-bundle.crt': base64(await bundle('a')) }
  await client.create(configMaps, { metadata: data, binaryData })
  await client.create(controllerConfigs, { metadata: own, spec: specOf({}) })
})

beforeAll(() => {
  turns = runKubeletTurns(world.api.client, stop.signal)
})
afterAll(async () => {
  stop.abort()
  await turns
})

beforeEach(async () => {
  await give('a')
  await say({ [rotate]: 'false', [digests]: null })
})

async function give(...letters: string[]): Promise<void> {
  const binaryData = { 'ca-bundle.crt': base64(await bundle(...letters)) }
  await world.api.client.patch(configMaps, data, mergePatch({ binaryData }))
}

async function say(annotations: Record<string, string | null>): Promise<void> {
  await world.api.client.patch(controllerConfigs, own, mergePatch({ metadata: { annotations } }))
}

/** As our own operator announces it. */
async function announce(...letters: string[]): Promise<void> {
  const { bundle: certificates } = readBundle(await bundle(...letters))
  await give(...letters)
  await say({
    [digests]: JSON.stringify({ 'api-server-ca': fingerprintsDigest(certificates.keys()) }),
  })
}

async function joined(name: string, labels: Record<string, string> = {}): Promise<Machine> {
  const made = await world.machine(name, { trustJitterMs: 0 }).joined(config(`of-${name}`))
  await made.client.patch(nodes, { name }, mergePatch({ metadata: { labels } }))
  for (const path of [bootstrap, kubelets]) await made.put(path, kubeconfig(await bundle('a')))
  await made.put('/etc/systemd/system/kubelet.service', '[Service]\n')
  return made
}

const restarts = ({ host }: Machine): number =>
  host.actions.filter((each) => each.do === 'restart' && each.unit === 'kubelet.service').length

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

describe('an operator that is not ours', () => {
  it('is believed when it says that the CA rotates', async () => {
    const node = await joined('pulsed')
    node.start()
    await node.until('it is seen', async () => (await line(node))?.state === 'Current')
    expect(restarts(node)).toBe(0)
    await give('a', 'b')
    await say({ [rotate]: 'true' })
    await untilLoaded(node)
    await say({ [rotate]: 'false' })
    const both = kubeconfig(await bundle('a', 'b'))
    expect([await heldCAs(node), restarts(node)]).toEqual([[both, both], 1])
    expect(await line(node)).toMatchObject({
      state: 'Current',
      paths: ['/etc/kubernetes/kubeconfig', '/var/lib/kubelet/kubeconfig'],
      source: { kind: 'ConfigMap', namespace: operator, name: 'kubeconfig-data' },
    })
  })

  it('that said so while a node was off has not said it in vain', async () => {
    const node = await joined('was-off')
    await give('a', 'b')
    await say({ [rotate]: 'true' })
    await say({ [rotate]: 'false' })
    node.start()
    await untilLoaded(node)
    const both = kubeconfig(await bundle('a', 'b'))
    expect([await heldCAs(node), restarts(node)]).toEqual([[both, both], 1])
  })

  it('that says it for the same CAs in another order restarts nobody', async () => {
    await give('a', 'b')
    const node = await joined('ordered')
    for (const path of [bootstrap, kubelets])
      await node.put(path, kubeconfig(await bundle('a', 'b')))
    node.start()
    await node.until('it is seen', async () => (await line(node))?.state === 'Current')
    await give('b', 'a')
    await say({ [rotate]: 'true' })
    // Something else that comes with it tells that the node has looked.
    const spec = { kubeAPIServerServingCAData: base64(await bundle('c')) }
    await world.api.client.patch(controllerConfigs, own, mergePatch({ spec }))
    await node.until('it has looked', async () => {
      return (await node.host.files.look(nodePaths.kubeletCA)) !== undefined
    })
    await node.clock.advance(60_000)
    const same = kubeconfig(await bundle('a', 'b'))
    expect([await heldCAs(node), restarts(node)]).toEqual([[same, same], 0])
  })
})

describe('our own operator', () => {
  it('announces what is wanted, and two nodes of the control plane take turns', async () => {
    const labels = { 'node-role.kubernetes.io/master': '' }
    const both = [await joined('master-0', labels), await joined('master-1', labels)]
    await announce('a', 'b')
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
