import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { systemRandom } from '@machinist/core/random'
import { KubeClient } from '@machinist/kube/client/client'
import { fixedConnection } from '@machinist/kube/connection/connection'
import { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import { HttpTransport } from '@machinist/kube/transport/http-transport'
import { benchNode, ServerProcess } from './api-server.ts'
import { printTable } from './table.ts'

/**
 * The cost of a list of 10,000 objects and a burst of 100,000 events for an informer over a real socket. Measured in CPU
 * seconds, so that neither the server (in another process) nor a busy machine affects the result.
 */
const objects = 10_000
const events = 100_000
const batch = 10_000
const rows: Record<string, string | number>[] = []

for (const bytes of [500, 2000, 8000]) {
  const server = await ServerProcess.start({ objects, bytes })
  rows.push({ 'object size': `${bytes} B`, ...(await measure(server, bytes)) })
  await server.stop()
}
printTable(`informer: list of ${objects} objects, then ${events} events`, rows)

async function measure(server: ServerProcess, bytes: number): Promise<Record<string, string>> {
  const stop = new AbortController()
  const connection = fixedConnection({ server: server.url, tls: {}, headers: {} })
  const transport = new HttpTransport({ connection, clock: systemClock })
  const client = new KubeClient({ transport, clock: systemClock })
  const informer = new Informer({
    resource: 'nodes',
    source: client.listWatch(nodes),
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
    metrics: new Metrics(),
  })
  let running = Promise.resolve()
  const list = await costOf(async () => {
    running = informer.start(stop.signal)
    await informer.synced()
  })
  const followed = await costOf(() => follow(informer, server))
  const parsed = await costOf(() => parseOnly(bytes))
  stop.abort()
  await running
  transport.close()
  return {
    'list, s': list.wall.toFixed(2),
    'list, CPU s': list.cpu.toFixed(2),
    'events/s': (events / followed.wall).toFixed(0),
    'events/CPU s': (events / followed.cpu).toFixed(0),
    'MB/CPU s': ((events * bytes) / followed.cpu / 1e6).toFixed(0),
    'times bare JSON.parse': (followed.cpu / parsed.cpu).toFixed(1),
  }
}

/** In batches, so that the buffers of the server stay small. */
async function follow(informer: Informer<Node>, server: ServerProcess): Promise<void> {
  let count = 0
  let done = Promise.withResolvers<void>()
  informer.subscribe((change) => {
    if (change.type === 'updated' && ++count % batch === 0) done.resolve()
  })
  for (let sent = 0; sent < events; sent += batch) {
    done = Promise.withResolvers<void>()
    server.change(batch)
    await done.promise
  }
}

/** The minimum work of any client. */
function parseOnly(bytes: number): void {
  const line = Buffer.from(JSON.stringify({ type: 'MODIFIED', object: benchNode(7, bytes, 7) }))
  for (let i = 0; i < events; i++) JSON.parse(line.toString('utf8'))
}

interface Cost {
  readonly wall: number
  readonly cpu: number
}

async function costOf(work: () => void | Promise<void>): Promise<Cost> {
  const before = process.cpuUsage()
  const began = performance.now()
  await work()
  const { user, system } = process.cpuUsage(before)
  return { wall: (performance.now() - began) / 1000, cpu: (user + system) / 1e6 }
}
