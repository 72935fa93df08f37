import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nodeAnnotations } from '../../src/api/annotations.ts'
import { machineConfigs } from '../../src/api/resources.ts'
import { leases } from '@machinist/kube/kinds/coordination'
import { coreEvents } from '@machinist/kube/kinds/events'
import type { Node } from '@machinist/kube/kinds/core'
import { ChildProcesses, end } from '@machinist/testing/child-processes'
import { until } from './until.ts'
import { ObservedRollout } from './observed-rollout.ts'
import {
  applyFile,
  currentConfig,
  example,
  nodesOf,
  rendered,
  RunningCluster,
  settled,
  targetOf,
} from './running-cluster.ts'

const machinist = join(import.meta.dirname, '../../bin/machinist')
const namespace = 'openshift-machine-config-operator'

let cluster: RunningCluster
let children: ChildProcesses
let directory: string
/** By the identity that they hold the lease with. */
const controllers = new Map<string, ChildProcess>()
let started = 0

beforeAll(async () => {
  const size = new Map([
    ['master', 1],
    ['worker', 3],
  ])
  cluster = await RunningCluster.start({ size, controllers: false })
  directory = mkdtempSync(join(tmpdir(), 'machinist-leaders-'))
  children = new ChildProcesses(directory)
  await startController()
  await startController()
  await settled(cluster.client, 'worker', 3)
}, 240_000)
afterAll(async () => {
  await children.stop()
  await cluster.stop()
}, 60_000)

/** One more candidate; the answer is who it is. */
async function startController(): Promise<string> {
  const name = `controller-${started++}`
  const child = children.start(name, machinist, [
    'controller',
    `--kubeconfig=${cluster.kubeconfig}`,
    '--lease-seconds=5',
    '--render-window=0.2',
    '--health-listen=127.0.0.1:0',
    '--metrics-listen=127.0.0.1:0',
  ])
  let identity: string | undefined
  await until('the controllers are ready', () => {
    if (child.exitCode !== null) throw new Error(children.logTail(name))
    identity = /ready: controllers .* as ([^\s,]+)/.exec(logOf(name))?.[1]
    return identity !== undefined
  })
  controllers.set(identity!, child)
  return identity!
}

const logOf = (name: string): string => readFileSync(join(directory, `${name}.log`), 'utf8')

async function leader(): Promise<string | undefined> {
  const lease = await cluster.client.get(leases, { namespace, name: 'machine-config-controller' })
  return lease.spec?.holderIdentity ?? undefined
}

/** Kills whoever leads, and waits until the other one does. */
async function killLeader(): Promise<void> {
  const before = (await leader())!
  await end(controllers.get(before)!, 'SIGKILL')
  controllers.delete(before)
  await until('the other one leads', async () => {
    const now = await leader()
    return now !== before && now !== undefined && controllers.has(now)
  })
  await startController()
}

/** Waits for something to become true of a worker. */
async function untilAWorker(what: string, is: (node: Node) => boolean): Promise<void> {
  await until(what, async () => (await nodesOf(cluster.client, 'worker')).some(is))
}

const annotation = ({ metadata }: Readonly<Node>, key: string): string =>
  metadata.annotations?.[key] ?? ''

describe('two controller processes', { timeout: 240_000 }, () => {
  it('do what one would, whenever the leader is killed', async () => {
    const before = await targetOf(cluster.client, 'worker')
    const seen = new ObservedRollout(cluster.sight.nodes)
    const told: string[] = []
    const leave = cluster.sight.nodes.subscribe((change) => {
      if (change.type !== 'updated') return
      const [was, is] = [change.before, change.object].map((node) =>
        annotation(node, nodeAnnotations.desiredConfig),
      )
      if (was !== is) told.push(`${change.object.metadata.name} ${is}`)
    })

    await applyFile(cluster, example('kernel-argument'))
    await killLeader()
    const after = await rendered(cluster.client, 'worker', before)
    await untilAWorker('a node is told', (node) => {
      return annotation(node, nodeAnnotations.desiredConfig) === after
    })
    await killLeader()
    await untilAWorker('another node is being drained', (node) => {
      const done = cluster.sight.nodes.list().some((each) => currentConfig(each) === after)
      return done && node.spec?.unschedulable === true
    })
    await killLeader()
    await settled(cluster.client, 'worker', 3, after)
    leave()
    seen.stop()

    expect(told.toSorted()).toEqual(
      ['worker-0', 'worker-1', 'worker-2'].map((n) => `${n} ${after}`),
    )
    expect(seen.most.get('worker')).toBe(1)
    for (const name of ['worker-0', 'worker-1', 'worker-2']) {
      expect(seen.steps.get(name)?.toSorted()).toEqual([
        'cordoned',
        'rebooted',
        'uncordoned',
        'updated',
      ])
    }
    const { items } = await cluster.client.list(machineConfigs)
    const names = items.map(({ metadata }) => metadata.name)
    expect(names.filter((name) => name.startsWith('rendered-worker-')).toSorted()).toEqual(
      [before, after].toSorted(),
    )
    await expectNoRepetition()
  })

  it('answer how they are, and give the lease back when they are ended', async () => {
    const [first] = [...controllers.keys()]
    const url = /as \S+, (http:\S+)/.exec(logOf(`controller-${started - 1}`))?.[1]
    for (const page of ['healthz', 'livez', 'readyz']) {
      expect(await (await fetch(`${url}/${page}`)).text()).toBe('ok\n')
    }
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('leader_election_master_status')
    const lead = (await leader()) ?? first!
    const child = controllers.get(lead)!
    await end(child, 'SIGTERM')
    controllers.delete(lead)
    expect(child.exitCode).toBe(0)
    const [other] = [...controllers.keys()]
    await until('the other one leads', async () => (await leader()) === other)
  })
})

/** Nothing that is told once is told twice. */
async function expectNoRepetition(): Promise<void> {
  const { items } = await cluster.client.list(coreEvents)
  const once = new Set(['SetDesiredConfig', 'RenderedConfigGenerated'])
  const lines = items
    .filter(({ reason }) => once.has(reason ?? ''))
    .flatMap(({ reason, message, count = 1 }) =>
      Array.from({ length: count }, () => `${reason} ${message}`),
    )
  expect(lines.length).toBeGreaterThan(0)
  expect(lines.toSorted()).toEqual([...new Set(lines)].toSorted())
}
