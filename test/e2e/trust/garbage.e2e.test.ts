import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inputDegraded } from '../../../src/api/conditions.ts'
import { nodePaths } from '../../../src/api/node-paths.ts'
import type { ControllerConfig } from '../../../src/api/resources.ts'
import { controllerConfigs, nodeTrusts } from '../../../src/api/resources.ts'
import { MemoryHost } from '../../../src/daemon/host/memory/memory-host.ts'
import { configMaps, serviceAccounts } from '@machinist/kube/kinds/core'
import { kubeconfig } from '../../integration/daemon/trust/kubelet-node.ts'
import { ca } from '@machinist/testing/certificates'
import { say } from '../../integration/operator/trust/world.ts'
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
 * Every source is given every kind of garbage while the operator and the nodes run: what it gave last stays on every disk,
 * what changes at the same moment reaches them, and it is said what is wrong, until it is good again.
 */
const sources = halves.flat()
const firstCAs = new Map(
  await Promise.all(sources.map(async ({ name }) => [name, await ca(`${name} 1`)] as const)),
)
const apiCA = firstCAs.get('apiServer')!
/** Its CA counts instead of the installer's, where it is there. */
const hiding = sources.find(({ hides }) => hides === 'root')!

let lane: WholeLane
let operator: Part
/** What each source gave last that was good. */
const given = new Map<string, string>()
let changes = 0

beforeAll(async () => {
  lane = await WholeLane.open({ openShift: true })
  const { client } = lane
  await say(client, 'Image', { additionalTrustedCA: { name: 'registry-cas' } })
  await say(client, 'Proxy', { trustedCA: { name: 'proxy-ca' } })
  await say(client, 'DNS', { baseDomain: 'one.example.com' })
  await say(client, 'Infrastructure', {})
  await say(client, 'ClusterOperator', {}, 'image-registry')
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

/** Something good that was never there before, for everything but the API server's CA, which takes its time. */
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

/** What the nodes have of it now, node by node. */
async function held({ path, field }: Source): Promise<unknown[]> {
  if (field) return [(await spec())[field]]
  const look = (node: LaneNode): Promise<unknown> => (path ? node.read(path) : kubeconfigCAs(node))
  return await Promise.all(lane.nodes.map(look))
}

/** Whether all nodes have what it gave last. */
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

/** Every input that is bad: its reason and its message. */
async function complaints(): Promise<Map<string, { reason: string; message: string }>> {
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
    // What was bad before is good again, and has to arrive.
    const back = halves[1 - half]!.filter((source) => source !== hiding)
    await Promise.all([
      ...fed.map((source) => put(lane, source, bad(source)[0])),
      ...back.map((source) => give(source)),
    ])
    // What it hides is looked at only now.
    if (half === 1) await put(lane, hiding, noObject)
    for (const source of others) {
      await lane.until(`${source.name} has arrived`, () => hasArrived(source))
    }
    for (const source of fed) {
      const { input, object, key } = source
      const reason = bad(source)[1]
      // Where only the sum is too large, no single object is wrong; and what is not there has no keys.
      const isMissing = reason === 'Missing' || reason === 'MissingKey'
      const one = isMissing ? object : `${object}, key ${key}: `
      const about = reason === 'TooLarge' ? 'ConfigMap' : one
      let message = ''
      await lane.until(`it is said that ${object} is ${reason}`, async () => {
        const said = (await complaints()).get(inputDegraded(input))
        message = said?.message ?? ''
        return said?.reason === reason && message.includes(about)
      })
      expect(message).not.toContain('CANARY')
    }
    expect(await Promise.all(fed.map(held))).toEqual(before)
  })
})

it('in the end all of them are good again', async () => {
  await Promise.all(sources.map(give))
  for (const source of sources.filter(({ name }) => name !== 'root')) {
    await lane.until(`${source.name} has arrived`, () => hasArrived(source))
  }
  await lane.until('nobody complains', async () => (await complaints()).size === 0)
  expect((await lane.client.list(nodeTrusts)).items).toHaveLength(2)
})

describe('what looks strange and is good', () => {
  it.each(harmlessFeeds)('%s', async (_, content) => {
    const direct = sources.filter(({ type, path }) => type === undefined && path)
    for (const source of direct) {
      given.set(source.name, content)
      await put(lane, source, content)
    }
    for (const source of direct) {
      await lane.until(`${source.name} has arrived`, () => hasArrived(source))
    }
    expect(await complaints()).toEqual(new Map())
  })

  it('of the API server’s CAs, by which no kubelet is restarted', async () => {
    const source = sources.find(({ name }) => name === 'apiServer')!
    const restarts = (): number[] =>
      lane.nodes.map(({ host }) => {
        const { actions } = host as MemoryHost
        return actions.filter((each) => each.do === 'restart').length
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
      await lane.until('it is handed on', async () => {
        await lane.clock.advance(5000)
        const key = { namespace: 'openshift-machine-config-operator', name: 'kubeconfig-data' }
        const { binaryData } = await lane.client.get(configMaps, key)
        return binaryData!['ca-bundle.crt'] === Buffer.from(content).toString('base64')
      })
      await lane.clock.advance(60_000)
      await lane.allCurrent()
    }
    expect(restarts()).toEqual(before)
    expect(await complaints()).toEqual(new Map())
  })
})

describe('while an input is bad', () => {
  it('what was good last outlives the operator, and reaches who has it not', async () => {
    const source = sources.find(({ name }) => name === 'kubelet')!
    await give(source)
    await lane.until('it has arrived', () => hasArrived(source))
    await put(lane, source, 'garbage')
    const isSaid = async (): Promise<boolean> =>
      (await complaints()).get(inputDegraded('kubelet-client-ca'))?.reason === 'NotPEM'
    await lane.until('it is said', isSaid)
    await operator.stop()
    const [one] = lane.nodes
    await one!.off()
    await one!.host.files.remove(nodePaths.kubeletCA)
    operator = lane.operate()
    one!.on()
    await switchOn('three')
    await lane.until('all have what was good last', () => hasArrived(source))
    expect(await isSaid()).toBe(true)
    await give(source)
    await lane.until('it is good again', () => hasArrived(source))
  })
})
