import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { systemRandom } from '@machinist/core/random'
import type { Resource } from '@machinist/core/objects/resource'
import { base64Source } from '@machinist/ignition/content'
import { KubeClient } from '@machinist/kube/client/client'
import { fixedConnection } from '@machinist/kube/connection/connection'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { HttpTransport } from '@machinist/kube/transport/http-transport'
import {
  machineConfigNodes,
  machineConfigPools,
  machineConfigs,
  type MachineConfig,
} from '../src/api/kinds/resources.ts'
import { decide } from '../src/controllers/rollout/decide.ts'
import { statusOf } from '../src/controllers/rollout/status.ts'
import { runControllers } from '../src/controllers/run-controllers.ts'
import { controllerConfig } from '../test/integration/controllers/support/cluster-objects.ts'
import { installDefinitions } from '../src/api/definitions/definitions.fixture.ts'
import { at, facts } from '../src/fleet/rollout/scene.fixture.ts'
import { realisticNode } from './bench-nodes.ts'
import { startEmbeddedServer } from './embedded-server.ts'
import { megabytesOf } from './process-memory.ts'
import { printTable } from './table.ts'

/**
 * One of 300 MachineConfigs with 10 files changes: time until the pool is rendered, desiredConfig is set on the 10 % of nodes
 * that the budget allows, and all others are marked as waiting; number of calls, and memory of all controllers. They use HTTPS
 * to `machinist apiserver` in a separate process. Batching of changes is disabled. Then the decision alone. Sizes can be given
 * as arguments.
 */
const requested = process.argv.slice(2).map(Number)
const sizes = requested.length > 0 ? requested : [100, 1000, 5000]
const configs = 300
const rows: Record<string, string | number>[] = []
for (const size of sizes) rows.push(await measure(size))
printTable('rollout: from a changed MachineConfig to all decisions', rows)

async function measure(size: number): Promise<Record<string, string | number>> {
  const data = mkdtempSync(join(tmpdir(), 'rollout-bench-'))
  const server = await startEmbeddedServer(data)
  const stop = new AbortController()
  try {
    const headers = { authorization: `Bearer ${server.token}` }
    const connection = fixedConnection({ server: server.server, tls: { ca: server.ca }, headers })
    const transport = new HttpTransport({ connection, clock: systemClock })
    const client = new KubeClient({ transport, clock: systemClock })
    await prepare(client)
    const calls = new Map<string, number>()
    const running = runControllers(
      {
        client: counting(client, calls),
        clock: systemClock,
        random: systemRandom,
        log: silentLogger,
        metrics: new Metrics(),
        maker: { version: '1.2.3', build: 'machinist-1' },
        renderWindowMs: 0,
        rolloutBatchMs: 20,
      },
      stop.signal,
    )
    const made = await addNodes(client, size, calls)
    const before = new Map(calls)
    const since = (call: string): number => (calls.get(call) ?? 0) - (before.get(call) ?? 0)
    const usage = process.cpuUsage()
    const began = performance.now()
    await client.patch(machineConfigs, { name: nameOf(7) }, mergePatch({ spec: specOf(7, 'new') }))
    await eventually(() => since('patch nodes') >= size)
    const took = performance.now() - began
    const { user, system } = process.cpuUsage(usage)
    const writes = [...calls.keys()].filter((call) => !isRead(call))
    const reads = [...calls.keys()].filter(isRead)
    const sum = (of: readonly string[]): number =>
      of.reduce((total, call) => total + since(call), 0)
    globalThis.gc?.()
    const memory = megabytesOf(process.pid, 'VmRSS')
    stop.abort()
    await running
    const decision = decisionMs(size)
    return {
      nodes: size,
      'to all decisions, ms': took.toFixed(0),
      'processor, ms': ((user + system) / 1000).toFixed(0),
      'per node, ms': ((user + system) / 1000 / size).toFixed(2),
      writes: sum(writes),
      'other than nodes': sum(writes) - since('patch nodes'),
      reads: sum(reads),
      'RSS, MB': memory.toFixed(0),
      'nodes known after, ms': made.toFixed(0),
      'decide and status, ms': decision.toFixed(2),
      'per node, µs': ((decision * 1000) / size).toFixed(2),
    }
  } finally {
    stop.abort()
    await server.stop()
    rmSync(data, { recursive: true, force: true })
  }
}

async function prepare(client: KubeClient): Promise<void> {
  await installDefinitions(client)
  await controllerConfig(client)
  await inParallel(configs, (i) =>
    client.create(machineConfigs, {
      metadata: {
        name: nameOf(i),
        labels: { 'machineconfiguration.openshift.io/role': 'worker' },
      },
      spec: specOf(i, 'first'),
    }),
  )
  await client.create(machineConfigPools, {
    metadata: { name: 'worker' },
    spec: {
      machineConfigSelector: {
        matchLabels: { 'machineconfiguration.openshift.io/role': 'worker' },
      },
      nodeSelector: { matchLabels: { 'node-role.kubernetes.io/worker': '' } },
      maxUnavailable: '10%',
    },
  })
}

/** Nodes that run the rendered config of the pool; resolves when all controllers have them in their caches. */
async function addNodes(
  client: KubeClient,
  size: number,
  calls: ReadonlyMap<string, number>,
): Promise<number> {
  const pool = () => client.get(machineConfigPools, { name: 'worker' })
  let name: string | undefined
  await eventually(async () => {
    name = (await pool()).spec.configuration?.name
    return name !== undefined
  })
  const began = performance.now()
  await inParallel(size, (i) => {
    const node = realisticNode(i) as Node
    const domain = 'machineconfiguration.openshift.io'
    const configs = { [`${domain}/currentConfig`]: name!, [`${domain}/desiredConfig`]: name! }
    const annotations = { ...node.metadata.annotations, ...configs }
    return client.create(nodes, { ...node, metadata: { ...node.metadata, annotations } })
  })
  await eventually(async () => {
    const made = (calls.get(`create ${machineConfigNodes.plural}`) ?? 0) >= size
    return made && (await pool()).status?.updatedMachineCount === size
  })
  return performance.now() - began
}

function nameOf(i: number): string {
  return `${String(i).padStart(4, '0')}-bench`
}

/** Waits without a timeout: a user watches the benchmark. */
async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(2)
}

/** Ten small files: a rendered config of all has about 1.2 MB; the limit of etcd is 1.5 MB. */
function specOf(set: number, text: string): NonNullable<MachineConfig['spec']> {
  const source = base64Source(`${set} ${text} ${'x'.repeat(180)}`)
  const files = Array.from({ length: 10 }, (_, i) => ({
    path: `/etc/set-${set}/file-${i}`,
    mode: 420,
    contents: { source },
  }))
  return { config: { ignition: { version: '3.2.0' }, storage: { files } } }
}

/** One event of one Node: the pool is decided again with new facts of this Node only. */
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

function isRead(call: string): boolean {
  return call.startsWith('get') || call.startsWith('list')
}

/** A client that counts calls by verb and resource. */
function counting(client: KubeClient, calls: Map<string, number>): KubeClient {
  return new Proxy(client, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target)
      if (typeof value !== 'function') return value
      return (...args: unknown[]): unknown => {
        const answer: unknown = Reflect.apply(value, target, args)
        if (!/^(get|list|create|replace|patch|remove|getMetadata)$/.test(String(property))) {
          return answer
        }
        const call = `${String(property)} ${(args[0] as Resource).plural}`
        const count = (): void => void calls.set(call, (calls.get(call) ?? 0) + 1)
        // Count completed calls only.
        void (answer as Promise<unknown>).then(count, count)
        return answer
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
