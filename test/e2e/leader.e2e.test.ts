import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { leases } from '@machinist/kube/kinds/coordination'
import { coreEvents } from '@machinist/kube/kinds/events'
import type { Node } from '@machinist/kube/kinds/core'
import { ChildProcesses, end } from '@machinist/testing/processes/child-processes'
import { nodeAnnotations } from '../../src/api/annotations.ts'
import { machineConfigs } from '../../src/api/kinds/resources.ts'
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
/** By the identity in the Lease. */
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

/** Starts one more candidate and returns its identity. */
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

/** Kills the leader and waits until the other process leads. */
async function killLeader(): Promise<void> {
  const before = (await leader())!
  await end(controllers.get(before)!, 'SIGKILL')
  controllers.delete(before)
  await until('the other process leads', async () => {
    const now = await leader()
    return now !== before && now !== undefined && controllers.has(now)
  })
  await startController()
}

/** Waits until the condition holds for a worker. */
async function untilAWorker(what: string, is: (node: Node) => boolean): Promise<void> {
  await until(what, async () => (await nodesOf(cluster.client, 'worker')).some(is))
}

const annotation = ({ metadata }: Readonly<Node>, key: string): string =>
  metadata.annotations?.[key] ?? ''

describe('two controller processes', { timeout: 240_000 }, () => {
  it('produce the result of a single one, whenever the leader is killed', async () => {
    const before = await targetOf(cluster.client, 'worker')
    const observed = new ObservedRollout(cluster.caches.nodes)
    const desired: string[] = []
    const unsubscribe = cluster.caches.nodes.subscribe((change) => {
      if (change.type !== 'updated') return
      const [old, current] = [change.before, change.object].map((node) =>
        annotation(node, nodeAnnotations.desiredConfig),
      )
      if (old !== current) desired.push(`${change.object.metadata.name} ${current}`)
    })

    await applyFile(cluster, example('kernel-argument'))
    await killLeader()
    const after = await rendered(cluster.client, 'worker', before)
    await untilAWorker('a node has the new desiredConfig', (node) => {
      return annotation(node, nodeAnnotations.desiredConfig) === after
    })
    await killLeader()
    await untilAWorker('another node is being drained', (node) => {
      const done = cluster.caches.nodes.list().some((each) => currentConfig(each) === after)
      return done && node.spec?.unschedulable === true
    })
    await killLeader()
    await settled(cluster.client, 'worker', 3, after)
    unsubscribe()
    observed.stop()

    expect(desired.toSorted()).toEqual(
      ['worker-0', 'worker-1', 'worker-2'].map((n) => `${n} ${after}`),
    )
    expect(observed.maxDisrupted.get('worker')).toBe(1)
    for (const name of ['worker-0', 'worker-1', 'worker-2']) {
      expect(observed.steps.get(name)?.toSorted()).toEqual([
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

  it('serve health and metrics, and release the Lease when they stop', async () => {
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
    await until('the other process leads', async () => (await leader()) === other)
  })
})

/** No event is emitted twice. */
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
