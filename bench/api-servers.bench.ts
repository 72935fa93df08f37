import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { kubernetesPrograms, startCluster } from '@machinist/testing/clusters/start-cluster'
import type { Measured, Work } from './api-servers-work.ts'
import { startEmbeddedServer } from './embedded-server.ts'
import { printTable } from './table.ts'

/**
 * Compares the embedded API server with kube-apiserver and etcd, both with durable writes: many watchers of one object, and
 * ten thousand Nodes. The same client in a separate process runs the same work against both. Memory and CPU time are those of
 * the server processes, for the real server kube-apiserver and etcd together. On a busy machine compare CPU time.
 */
const size = { watchers: 2000, nodes: 10_000, changes: 1000 }

const embedded = await measureEmbedded()
const real = await measureReal()
printTable(
  `embedded and real API server, on ${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GB, Linux ${release()}, Node ${process.version}, load ${loadavg()[1]!.toFixed(1)}`,
  Object.entries(embedded).map(([what, ours]) => {
    const theirs = real?.[what]
    return {
      what,
      embedded: figure(ours),
      real: theirs === undefined ? '-' : figure(theirs),
      'embedded ÷ real': theirs ? (ours / theirs).toFixed(2) : '-',
    }
  }),
)

async function measureEmbedded(): Promise<Measured> {
  const directory = mkdtempSync(join(tmpdir(), 'machinist-bench-'))
  const data = join(directory, 'data')
  // Like the real server, it is measured at its second start: keys exist and programs are in the page cache.
  await (await startEmbeddedServer(data)).stop()
  const server = await startEmbeddedServer(data)
  try {
    const { server: url, ca, token } = server
    const work = { address: { server: url, ca, token }, pids: [server.pid], ...size }
    return { 'time to ready, ms': server.readyMs, ...(await worked(work)) }
  } finally {
    await server.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

async function measureReal(): Promise<Measured | undefined> {
  const programs = kubernetesPrograms()
  if ('missing' in programs) {
    console.log(`kube-apiserver is not measured: ${programs.missing}`)
    return undefined
  }
  const cluster = await startCluster(programs.directory, { durable: true })
  try {
    await cluster.stopApiServer('SIGTERM')
    const began = performance.now()
    await cluster.startApiServer()
    const readyMs = performance.now() - began
    const { server, caFile, token } = cluster
    const address = { server, ca: readFileSync(caFile, 'utf8'), token }
    return {
      'time to ready, ms': readyMs,
      ...(await worked({ address, pids: cluster.pids(), ...size })),
    }
  } finally {
    await cluster.stop()
  }
}

async function worked(work: Work): Promise<Measured> {
  const child = fork(join(import.meta.dirname, 'api-servers-work.ts'))
  child.send(work)
  const [measured] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [
    Measured | number | null,
  ]
  if (measured === null || typeof measured === 'number') throw new Error('the client failed')
  return measured
}

function figure(value: number): string {
  return value.toFixed(value < 10 ? 1 : 0)
}
