import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { systemRandom } from '@machinist/core/random'
import { KubeClient } from '@machinist/kube/client/client'
import { fixedConnection } from '@machinist/kube/connection/connection'
import type { Node } from '@machinist/kube/kinds/core'
import {
  configMaps as configMapResource,
  namespaces as namespaceResource,
  nodes,
} from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import type {
  ApiResponse,
  ApiRequest,
  StreamRequest,
  Transport,
} from '@machinist/kube/transport/transport'
import { HttpTransport } from '@machinist/kube/transport/http-transport'
import { createAuthority, validFor } from '@machinist/pki/issue'
import { nodePaths } from '../src/api/node-paths.ts'
import { bootstrapMark, configMaps, namespaces } from '../src/api/names.ts'
import { machineConfigs, nodeTrusts } from '../src/api/kinds/resources.ts'
import { runDaemon } from '../src/daemon/daemon.ts'
import { MemoryHost } from '../src/daemon/host/memory/memory-host.ts'
import { runOperator } from '../src/operator/run-operator.ts'
import { installDefinitions } from '../src/api/definitions/definitions.fixture.ts'
import { realisticNode } from './bench-nodes.ts'
import { startEmbeddedServer } from './embedded-server.ts'
import { megabytesOf } from './process-memory.ts'
import { printTable } from './table.ts'

/**
 * The client CA of the kubelets changes at its source: time until every node has written, verified and reported it; number of
 * requests and bytes for each node. The operator and the daemons, with in-memory hosts and separate connections, share this
 * process; `machinist apiserver` is a separate process. Sizes can be given as arguments.
 */
const requested = process.argv.slice(2).map(Number)
const sizes = requested.length > 0 ? requested : [100, 500, 2000]
const usualWindowMs = 10_000
async function measure(size: number, windowMs: number): Promise<Record<string, string | number>> {
  const data = mkdtempSync(join(tmpdir(), 'trust-bench-'))
  const server = await startEmbeddedServer(data)
  const stop = new AbortController()
  const connect = (): CountingTransport => {
    const headers = { authorization: `Bearer ${server.token}` }
    const connection = fixedConnection({ server: server.server, tls: { ca: server.ca }, headers })
    return new CountingTransport(new HttpTransport({ connection, clock: systemClock }))
  }
  const client = clientOn(connect())
  const tools = { clock: systemClock, random: systemRandom, log: silentLogger }
  try {
    await prepare(client)
    const operating = runOperator(
      { ...tools, client: clientOn(connect()), metrics: new Metrics(), version: '1.2.3' },
      stop.signal,
    )
    const machines = Array.from({ length: size }, (_, i) => ({
      node: realisticNode(i) as Node,
      host: new MemoryHost(),
      transport: connect(),
    }))
    await inParallel(machines, async ({ node }) => {
      const { metadata } = node
      await client.create(nodes, {
        ...node,
        metadata: { ...metadata, annotations: { ...metadata.annotations, ...settledIn } },
      })
    })
    const daemons = machines.map(({ node, host, transport }) =>
      runDaemon(
        {
          ...tools,
          node: node.metadata.name,
          client: clientOn(transport),
          host,
          metrics: new Metrics(),
          trustJitterMs: windowMs,
        },
        stop.signal,
      ),
    )
    await eventually(async () => (await current(client)) === size)
    await quiet(machines.map(({ transport }) => transport))
    for (const { transport } of machines) transport.reset()
    const bundle = await newBundle()
    const usage = process.cpuUsage()
    const began = performance.now()
    await client.patch(
      configMapResource,
      configMaps.kubeletClientCA,
      mergePatch({ data: { [configMaps.kubeletClientCA.key]: bundle } }),
    )
    await eventually(() => machines.every(({ transport }) => transport.toldAt !== undefined))
    const { user, system } = process.cpuUsage(usage)
    for (const { host } of machines) {
      const onDisk = Buffer.from(await host.files.read(nodePaths.kubeletCA)).toString()
      if (onDisk !== bundle) throw new Error('a node reported a bundle that is not on its disk')
    }
    const took = machines.map(({ transport }) => transport.toldAt! - began).sort((a, b) => a - b)
    const each = (of: (transport: CountingTransport) => number): number =>
      machines.reduce((sum, { transport }) => sum + of(transport), 0) / size
    const memory = megabytesOf(process.pid, 'VmRSS')
    stop.abort()
    await Promise.all([...daemons, operating])
    return {
      nodes: size,
      'window, s': windowMs / 1000,
      'p50, ms': at(took, 0.5),
      'p99, ms': at(took, 0.99),
      'last, ms': at(took, 1),
      'processor per node, ms': ((user + system) / 1000 / size).toFixed(2),
      'reads per node': each(({ reads }) => reads).toFixed(2),
      'writes per node': each(({ writes }) => writes).toFixed(2),
      'bytes per node': each(({ bytes }) => bytes).toFixed(0),
      'RSS, MB': memory.toFixed(0),
    }
  } finally {
    stop.abort()
    await server.stop()
    rmSync(data, { recursive: true, force: true })
  }
}

/** Counts the requests of one node, and records when it has reported its trust. */
class CountingTransport implements Transport {
  readonly #transport: Transport
  reads = 0
  writes = 0
  bytes = 0
  toldAt: number | undefined
  lastAskedAt = performance.now()

  constructor(transport: Transport) {
    this.#transport = transport
  }

  reset(): void {
    this.reads = this.writes = this.bytes = 0
    this.toldAt = undefined
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    this.lastAskedAt = performance.now()
    const answer = await this.#transport.request(request)
    if (request.method === 'GET') this.reads++
    else this.writes++
    this.bytes += answer.body.byteLength + JSON.stringify(request.body ?? '').length
    if (request.method !== 'GET' && request.path.includes(nodeTrusts.plural)) {
      this.toldAt = performance.now()
    }
    return answer
  }

  async *stream(request: StreamRequest): AsyncIterable<Uint8Array> {
    for await (const chunk of this.#transport.stream(request)) {
      this.bytes += chunk.byteLength
      yield chunk
    }
  }

  close(): void {
    this.#transport.close()
  }
}

const clientOn = (transport: Transport): KubeClient =>
  new KubeClient({ transport, clock: systemClock })

const config = 'rendered-worker-bench'
const domain = 'machineconfiguration.openshift.io'
const settledIn = {
  [`${domain}/currentConfig`]: config,
  [`${domain}/desiredConfig`]: config,
  [`${domain}/state`]: 'Done',
}

async function prepare(client: KubeClient): Promise<void> {
  await installDefinitions(client)
  for (const name of [namespaces.operator, namespaces.config, namespaces.configManaged]) {
    await client.create(namespaceResource, { metadata: { name } })
  }
  await client.create(configMapResource, { metadata: { ...bootstrapMark }, data: {} })
  const { namespace, name, key } = configMaps.kubeletClientCA
  const data = { [key]: await newBundle() }
  await client.create(configMapResource, { metadata: { namespace, name }, data })
  await client.create(machineConfigs, {
    metadata: { name: config },
    spec: { config: { ignition: { version: '3.4.0' } } },
  })
}

/** Seven CAs, as on OpenShift: about 8 kB. */
async function newBundle(): Promise<string> {
  const year = 365 * 24 * 3_600_000
  let text = ''
  for (let i = 0; i < 7; i++) {
    const name = `bench-signer-${i}@${systemClock.now()}`
    const wish = { name, validity: validFor(systemClock, year), keyKind: 'rsa-2048' as const }
    text += (await createAuthority(wish)).certificate
  }
  return text
}

/** Number of nodes that reported all desired trust items. */
async function current(client: KubeClient): Promise<number> {
  const { items } = await client.list(nodeTrusts, {})
  return items.filter(({ status }) =>
    status?.conditions?.some(({ type, status: is }) => type === 'Current' && is === 'True'),
  ).length
}

/** Waits until there are no requests for two seconds. */
async function quiet(transports: readonly CountingTransport[]): Promise<void> {
  const last = (): number => Math.max(...transports.map(({ lastAskedAt }) => lastAskedAt))
  await eventually(() => performance.now() - last() > 2000)
}

const at = (sorted: readonly number[], share: number): string =>
  sorted[Math.min(Math.ceil(sorted.length * share), sorted.length) - 1]!.toFixed(0)

/** Waits without a timeout: a user watches the benchmark. */
async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(20)
}

async function inParallel<T>(
  things: readonly T[],
  work: (thing: T) => Promise<unknown>,
): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    for (let i = next++; i < things.length; i = next++) await work(things[i]!)
  }
  await Promise.all(Array.from({ length: 16 }, worker))
}

const rows: Record<string, string | number>[] = []
for (const size of sizes) rows.push(await measure(size, usualWindowMs))
rows.push(await measure(sizes[0]!, 0))
printTable('trust: from a changed source to the report of the last node', rows)
