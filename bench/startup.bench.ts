import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedServer } from './embedded-server.ts'
import { megabytesOf, processorSecondsOf } from './process-memory.ts'
import { printTable } from './table.ts'

/**
 * Startup time of `machinist`: from the start of the process to the first 200 of `/readyz`, and for the help. The first start
 * on a data directory creates keys and certificates. `compiled` shows whether the compile cache of bin/machinist is used.
 */
const times = 7
const directory = mkdtempSync(join(tmpdir(), 'machinist-startup-'))
const compiled = { NODE_COMPILE_CACHE: join(directory, 'compiled') }
const never = { NODE_DISABLE_COMPILE_CACHE: '1' }

try {
  await start('to-fill-the-cache', compiled)
  const rows = [
    row('apiserver, first start', 'yes', await repeat((i) => start(`compiled-${i}`, compiled))),
    row('apiserver, later start', 'yes', await repeat(() => start('compiled-0', compiled))),
    row('apiserver, first start', 'no', await repeat((i) => start(`plain-${i}`, never))),
    row('apiserver, later start', 'no', await repeat(() => start('plain-0', never))),
    row('--help', 'yes', await repeat(() => help(compiled))),
    row('--help', 'no', await repeat(() => help(never))),
  ]
  printTable(`startup: ${times} times each`, rows)
} finally {
  rmSync(directory, { recursive: true, force: true })
}

interface Start {
  readonly ms: number
  readonly processorMs?: number
  readonly megabytes?: number
}

async function start(data: string, env: NodeJS.ProcessEnv): Promise<Start> {
  const server = await startEmbeddedServer(join(directory, data), env)
  const megabytes = megabytesOf(server.pid, 'VmRSS')
  const processorMs = processorSecondsOf(server.pid) * 1000
  await server.stop()
  return { ms: server.readyMs, processorMs, megabytes }
}

async function help(env: NodeJS.ProcessEnv): Promise<Start> {
  const began = performance.now()
  const program = join(import.meta.dirname, '../bin/machinist')
  const { status } = spawnSync(program, ['--help'], { env: { ...process.env, ...env } })
  if (status !== 0) throw new Error(`machinist --help exited with ${status}`)
  return { ms: performance.now() - began }
}

async function repeat(run: (i: number) => Promise<Start>): Promise<Start[]> {
  const starts: Start[] = []
  for (let i = 0; i < times; i++) starts.push(await run(i))
  return starts
}

function row(what: string, seen: string, starts: readonly Start[]): Record<string, string> {
  const sorted = (of: (one: Start) => number | undefined): number[] =>
    starts.flatMap((one) => of(one) ?? []).sort((a, b) => a - b)
  const middle = (values: readonly number[]): string =>
    values[Math.floor(values.length / 2)]?.toFixed(0) ?? '-'
  const waits = sorted(({ ms }) => ms)
  return {
    what,
    compiled: seen,
    'best, ms': waits[0]!.toFixed(0),
    'median, ms': middle(waits),
    'processor, ms': middle(sorted(({ processorMs }) => processorMs)),
    'RSS, MB': middle(sorted(({ megabytes }) => megabytes)),
  }
}
