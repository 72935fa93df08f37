import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { configMaps, serviceAccounts } from '@machinist/kube/kinds/core'
import { ca } from '@machinist/testing/certificates/certificates'
import { inputDegraded } from '../../../src/api/conditions.ts'
import { nodePaths } from '../../../src/api/node-paths.ts'
import type { ControllerConfig } from '../../../src/api/kinds/resources.ts'
import { controllerConfigs, nodeTrusts } from '../../../src/api/kinds/resources.ts'
import { MemoryHost } from '../../../src/daemon/host/memory/memory-host.ts'
import { kubeconfig } from '../../integration/daemon/trust/kubelet-node.ts'
import { setOpenShiftObject } from '../../integration/operator/trust/running-loop.ts'
import type { Source } from '../../integration/trust/garbage-sources.ts'
import {
  badFeeds,
  better,
  halves,
  harmlessFeeds,
  kubeconfigCAs,
  noObject,
  put,
} from '../../integration/trust/garbage-sources.ts'
import type { LaneNode, Part } from '../../integration/trust/whole-lane.ts'
import { WholeLane } from '../../integration/trust/whole-lane.ts'

/*
 * Every source gets every kind of garbage while the operator and the nodes run. Its last valid content stays on every disk, other
 * changes at the same time reach the nodes, and the problem is reported until the source is valid again.
 */
const sources = halves.flat()
const firstCAs = new Map(
  await Promise.all(sources.map(async ({ name }) => [name, await ca(`${name} 1`)] as const)),
)
const apiCA = firstCAs.get('apiServer')!
/** If it exists, its CA replaces the installer's. */
const hiding = sources.find(({ hides }) => hides === 'root')!

let lane: WholeLane
let operator: Part
/** The last valid content of each source. */
const given = new Map<string, string>()
let changes = 0

beforeAll(async () => {
  lane = await WholeLane.open({ openShift: true })
  const { client } = lane
  await setOpenShiftObject(client, 'Image', { additionalTrustedCA: { name: 'registry-cas' } })
  await setOpenShiftObject(client, 'Proxy', { trustedCA: { name: 'proxy-ca' } })
  await setOpenShiftObject(client, 'DNS', { baseDomain: 'one.example.com' })
  await setOpenShiftObject(client, 'Infrastructure', {})
  await setOpenShiftObject(client, 'ClusterOperator', {}, 'image-registry')
  await client.create(serviceAccounts, {
    metadata: { namespace: 'openshift-machine-config-operator', name: 'machine-os-puller' },
    imagePullSecrets: [{ name: 'puller-dockercfg' }],
  })
  await client.create(configMaps, { metadata: { namespace: 'kube-system', name: 'bootstrap' } })
  for (const source of sources) await give(source)
  operator = lane.operate()
  for (const name of ['one', 'two']) await switchOn(name)
  await lane.allCurrent()
})
afterAll(() => lane[Symbol.asyncDispose]())

async function switchOn(name: string): Promise<void> {
  const node = await lane.join(name, { host: new MemoryHost({ name }) })
  await node.put(nodePaths.bootstrapKubeconfig, kubeconfig(apiCA), 0o600)
  await node.put(nodePaths.kubeletKubeconfig, kubeconfig(apiCA), 0o600)
  await node.put('/etc/systemd/system/kubelet.service', '[Service]\n')
  node.on()
}

/** Sets new valid content. The API server's CA stays the same, because a change takes a minute. */
async function give(source: Source): Promise<void> {
  const { name, type, key } = source
  const number = ++changes
  const login = { [`${key}.example`]: { username: 'u', password: `CANARY-${number}` } }
  const fresh = {
    text: `${firstCAs.get(name)}# ${number}\n`,
    logins: JSON.stringify(key === '.dockercfg' ? login : { auths: login }),
  }
  const text = name === 'apiServer' ? apiCA : type === undefined ? fresh.text : fresh.logins
  given.set(name, text)
  await put(lane, source, text)
}

const spec = async (): Promise<ControllerConfig['spec']> =>
  (await lane.client.get(controllerConfigs, { name: 'machine-config-controller' })).spec

/** Its current content on each node. */
async function held({ path, field }: Source): Promise<unknown[]> {
  if (field) return [(await spec())[field]]
  const read = (node: LaneNode): Promise<unknown> => (path ? node.read(path) : kubeconfigCAs(node))
  return await Promise.all(lane.nodes.map(read))
}

/** Whether all nodes have its last valid content. */
async function hasArrived(source: Source): Promise<boolean> {
  const { name, type, field } = source
  const text = given.get(name)!
  const isIt = (found: unknown): boolean => {
    if (type !== undefined) return String(found).includes(/CANARY-\d+/.exec(text)![0])
    if (field) return Buffer.from(String(found), 'base64').toString().includes(text)
    return found === (name === 'apiServer' ? text + text : text)
  }
  return (await held(source)).every(isIt)
}

/** Reason and message of every degraded input. */
async function degradedInputs(): Promise<Map<string, { reason: string; message: string }>> {
  const found = await lane.find(controllerConfigs, { name: 'machine-config-controller' })
  const own = new Set(sources.map(({ input }) => inputDegraded(input)))
  const bad = (found?.status?.conditions ?? []).filter(
    ({ type, status }) => status === 'True' && own.has(type),
  )
  return new Map(
    bad.map(({ type, reason = '', message = '' }) => [type, { reason, message }] as const),
  )
}

describe.each(badFeeds)('$what', (feed) => {
  const { what } = feed
  const bad = (source: Source) => (source.type === undefined ? feed.certificates : feed.logins)

  it.each([0, 1])('for half %i of all sources', async (half) => {
    const fed = halves[half]!.filter(({ takes = [] }) => !takes.includes(what))
    const others = halves[1 - half]!.filter(
      ({ name, input }) => name !== 'root' && !fed.some((source) => source.input === input),
    )
    const before = await Promise.all(fed.map(held))
    expect(before.flat().every(Boolean)).toBe(true)
    // The other half becomes valid again and has to arrive.
    const back = halves[1 - half]!.filter((source) => source !== hiding)
    await Promise.all([
      ...fed.map((source) => put(lane, source, bad(source)[0])),
      ...back.map((source) => give(source)),
    ])
    // The hidden source is used only now.
    if (half === 1) await put(lane, hiding, noObject)
    for (const source of others) {
      await lane.until(`${source.name} has arrived`, () => hasArrived(source))
    }
    for (const source of fed) {
      const { input, object, key } = source
      const reason = bad(source)[1]
      // If only the sum is too large, no single object is invalid. A missing object has no keys.
      const isMissing = reason === 'Missing' || reason === 'MissingKey'
      const one = isMissing ? object : `${object}, key ${key}: `
      const about = reason === 'TooLarge' ? 'ConfigMap' : one
      let message = ''
      await lane.until(`${object} is reported as ${reason}`, async () => {
        const condition = (await degradedInputs()).get(inputDegraded(input))
        message = condition?.message ?? ''
        return condition?.reason === reason && message.includes(about)
      })
      expect(message).not.toContain('CANARY')
    }
    expect(await Promise.all(fed.map(held))).toEqual(before)
  })
})

it('all sources are valid again in the end', async () => {
  await Promise.all(sources.map(give))
  for (const source of sources.filter(({ name }) => name !== 'root')) {
    await lane.until(`${source.name} has arrived`, () => hasArrived(source))
  }
  await lane.until('no input is degraded', async () => (await degradedInputs()).size === 0)
  expect((await lane.client.list(nodeTrusts)).items).toHaveLength(2)
})

describe('unusual but valid content', () => {
  it.each(harmlessFeeds)('%s', async (_, content) => {
    const direct = sources.filter(({ type, path }) => type === undefined && path)
    for (const source of direct) {
      given.set(source.name, content)
      await put(lane, source, content)
    }
    for (const source of direct) {
      await lane.until(`${source.name} has arrived`, () => hasArrived(source))
    }
    expect(await degradedInputs()).toEqual(new Map())
  })

  it('of the API server’s CAs causes no restart of a kubelet', async () => {
    const source = sources.find(({ name }) => name === 'apiServer')!
    const restarts = (): number[] =>
      lane.nodes.map(({ host }) => {
        const { actions } = host as MemoryHost
        return actions.filter((each) => each.type === 'restart').length
      })
    await put(lane, source, apiCA + better)
    await lane.until('all nodes have both', async () => {
      await lane.clock.advance(1000)
      const found = await Promise.all(lane.nodes.map(kubeconfigCAs))
      return found.every((text) => text.includes(better))
    })
    await lane.allCurrent()
    const before = restarts()
    expect(before).toEqual([1, 1])
    const both = (apiCA + better).replaceAll('\n', '\r\n')
    for (const content of [better + apiCA, both, both + both, `${'#'.repeat(800_000)}\n${both}`]) {
      await put(lane, source, content)
      await lane.until('it is published', async () => {
        await lane.clock.advance(5000)
        const key = { namespace: 'openshift-machine-config-operator', name: 'kubeconfig-data' }
        const { binaryData } = await lane.client.get(configMaps, key)
        return binaryData!['ca-bundle.crt'] === Buffer.from(content).toString('base64')
      })
      await lane.clock.advance(60_000)
      await lane.allCurrent()
    }
    expect(restarts()).toEqual(before)
    expect(await degradedInputs()).toEqual(new Map())
  })
})

describe('while an input is degraded', () => {
  it('its last valid content survives a restart of the operator, and reaches new nodes', async () => {
    const source = sources.find(({ name }) => name === 'kubelet')!
    await give(source)
    await lane.until('it has arrived', () => hasArrived(source))
    await put(lane, source, 'garbage')
    const isReported = async (): Promise<boolean> =>
      (await degradedInputs()).get(inputDegraded('kubelet-client-ca'))?.reason === 'NotPEM'
    await lane.until('it is reported', isReported)
    await operator.stop()
    const [one] = lane.nodes
    await one!.off()
    await one!.host.files.remove(nodePaths.kubeletCA)
    operator = lane.operate()
    one!.on()
    await switchOn('three')
    await lane.until('all nodes have the last valid content', () => hasArrived(source))
    expect(await isReported()).toBe(true)
    await give(source)
    await lane.until('it is valid again', () => hasArrived(source))
  })
})
