import { machineConfigPools } from '../src/api/resources.ts'
import { systemClock } from '../src/base/clock.ts'
import { silentLogger } from '../src/base/log.ts'
import { Metrics } from '../src/base/metrics.ts'
import { systemRandom } from '../src/base/random.ts'
import type { KubeObject, Resource } from '../src/base/resource.ts'
import { decide } from '../src/controllers/rollout/decide.ts'
import { factsOf } from '../src/controllers/rollout/node-facts.ts'
import { rolloutController } from '../src/controllers/rollout/rollout.ts'
import { statusOf } from '../src/controllers/rollout/status.ts'
import type { KubeClient } from '../src/kube/client.ts'
import { ControllerRunner } from '../src/kube/controller/controller-runner.ts'
import { Informer } from '../src/kube/informer/informer.ts'
import type { Node } from '../src/kube/kinds/core.ts'
import { nodes } from '../src/kube/kinds/core.ts'
import { mergePatch } from '../src/kube/patch.ts'
import { startServer } from '../test/apiserver/http/running-server.ts'
import { installDefinitions } from '../test/controllers/render/world.ts'
import { at, facts } from '../test/controllers/rollout/scene.ts'
import { until } from '../test/support/until.ts'
import { realisticNode } from './bench-nodes.ts'
import { printTable } from './table.ts'

/**
 * A pool gets a new configuration: how long until its budget of 10 % is told and everybody else is marked as waiting, over
 * HTTP against the embedded API server in the same process, and with how many calls. Then the deciding alone, and what
 * one event of one node costs.
 */
const rows: Record<string, string | number>[] = []
for (const size of [100, 1000, 5000]) rows.push(await measure(size))
printTable('rollout: from a changed pool to all decisions', rows)

async function measure(size: number): Promise<Record<string, string | number>> {
  await using server = await startServer()
  const { client } = server
  await installDefinitions(client)
  await inParallel(size, (i) => client.create(nodes, realisticNode(i) as Node))
  const { current: name = '' } = factsOf(realisticNode(0) as Node)
  await client.create(machineConfigPools, {
    metadata: { name: 'worker' },
    spec: {
      nodeSelector: { matchLabels: { 'node-role.kubernetes.io/worker': '' } },
      configuration: { name },
      maxUnavailable: '10%',
    },
  })
  let writes = 0
  let expected = Infinity
  const allDone = Promise.withResolvers<void>()
  const counted = countingWrites(client, () => {
    writes += 1
    if (writes >= expected) allDone.resolve()
  })
  const stop = new AbortController()
  const running: Promise<void>[] = []
  const runtime = {
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
    metrics: new Metrics(),
  }
  const informer = <T extends KubeObject>(place: Resource<T>): Informer<T> => {
    const made = new Informer<T>({
      ...runtime,
      resource: place.plural,
      source: client.listWatch(place),
    })
    running.push(made.start(stop.signal))
    return made
  }
  const informers = { pools: informer(machineConfigPools), nodes: informer(nodes) }
  const events = { normal: () => {}, warning: () => {} }
  const controller = rolloutController({
    ...runtime,
    client: counted,
    informers,
    events,
    batchMs: 20,
  })
  running.push(new ControllerRunner(controller, runtime).run(stop.signal))
  const updating = async (): Promise<string> => {
    const { status } = await client.get(machineConfigPools, { name: 'worker' })
    return status?.conditions?.find(({ type }) => type === 'Updating')?.status ?? ''
  }
  await until('the pool is counted', async () => (await updating()) === 'False')
  const idle = writes
  // The turns on the pool, everybody told or marked, the status.
  expected = idle + size + 2
  const began = performance.now()
  const spec = { configuration: { name: 'rendered-worker-new' } }
  await client.patch(machineConfigPools, { name: 'worker' }, mergePatch({ spec }))
  await allDone.promise
  const took = performance.now() - began
  stop.abort()
  await Promise.all(running)
  const decision = decisionMs(size)
  return {
    nodes: size,
    'to all decisions, ms': took.toFixed(0),
    'ms per node': (took / size).toFixed(2),
    writes: writes - idle,
    'writes per node': ((writes - idle) / size).toFixed(2),
    'decide and status, ms': decision.toFixed(2),
    'per node, µs': ((decision * 1000) / size).toFixed(2),
  }
}

/** One event of one node: its pool is decided again, on facts of which only that node's are new. */
function decisionMs(size: number): number {
  const all = facts({ maxUnavailable: '10%' }, [])
  const sketches = facts(
    {},
    Array.from({ length: size }, (_, i) => at('V0', 'V0', { zone: `zone-${i % 3}` })),
  ).nodes
  const rounds = 50
  const began = performance.now()
  for (let i = 0; i < rounds; i++) statusOf(decide({ ...all, nodes: sketches }))
  return (performance.now() - began) / rounds
}

/** The same client, with every write counted. */
function countingWrites(client: KubeClient, count: () => void): KubeClient {
  return new Proxy(client, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target)
      if (typeof value !== 'function') return value
      return (...args: unknown[]): unknown => {
        if (property === 'patch') count()
        return Reflect.apply(value, target, args)
      }
    },
  })
}

async function inParallel(count: number, work: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) await work(i)
  }
  await Promise.all(Array.from({ length: 16 }, worker))
}
