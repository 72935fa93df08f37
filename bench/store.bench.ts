import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '@machinist/apiserver/store/sqlite-store'
import type { Store } from '@machinist/apiserver/store/store'
import { plainView } from '@machinist/apiserver/watch/view'
import { WatchCache } from '@machinist/apiserver/watch/watch-cache'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { printTable } from './table.ts'

/**
 * The store of the embedded API server on the local disk: durable writes of 2 kB objects, reads of 10,000 objects, and the time
 * from a write to the last of 2,000 watchers of the object, in the process.
 */
const bytes = 2000
const objects = 10_000
const watchers = 2000

const directory = mkdtempSync(join(tmpdir(), 'store-bench-'))
const store = openSqliteStore({ directory, clock: systemClock, log: silentLogger })
try {
  printTable(`store: durable writes of ${bytes} B`, await measureWrites())
  await fill()
  printTable(`store: reads of ${objects} objects`, measureReads())
  printTable(`store: one write to ${watchers} watchers`, await measureWatchers())
} finally {
  await store.close()
  rmSync(directory, { recursive: true })
}

async function measureWrites(): Promise<Record<string, string | number>[]> {
  const rows = []
  for (const writers of [1, 16, 64]) {
    const each = Math.ceil(4000 / writers)
    const latencies: number[] = []
    const began = performance.now()
    await Promise.all(
      Array.from({ length: writers }, (_, i) => writeOften(`/w/${writers}/${i}`, each, latencies)),
    )
    const seconds = (performance.now() - began) / 1000
    rows.push({
      writers,
      'writes/s': ((writers * each) / seconds).toFixed(0),
      ...percentiles(latencies),
    })
  }
  return rows
}

async function writeOften(key: string, times: number, latencies: number[]): Promise<void> {
  let revision = 0
  for (let i = 0; i < times; i++) {
    const began = performance.now()
    revision = (await store.write(key, objectText(key, i), revision)).revision
    latencies.push(performance.now() - began)
  }
}

async function fill(): Promise<void> {
  const names = Array.from({ length: objects }, (_, i) => `/pods/default/pod-${i}`)
  await Promise.all(names.map((key) => store.write(key, objectText(key, 0), 0)))
}

function measureReads(): Record<string, string | number>[] {
  const prefix = '/pods/default/'
  const revision = store.revision - objects / 2
  const reads: Record<string, (store: Store) => unknown> = {
    'all, newest': () => store.range({ prefix }),
    'all, as of an old revision (half of them)': () => store.range({ prefix, revision }),
    'a page of 500, newest': () => store.range({ prefix, after: `${prefix}pod-5`, limit: 500 }),
    'a page of 500, old': () =>
      store.range({ prefix, after: `${prefix}pod-2`, limit: 500, revision }),
    'how many': () => store.count({ prefix }),
    'one object': () => store.get(`${prefix}pod-77`),
  }
  return Object.entries(reads).map(([read, run]) => ({ read, ms: bestOf(20, () => run(store)) }))
}

async function measureWatchers(): Promise<Record<string, string | number>[]> {
  const view = plainView({ apiVersion: 'v1', kind: 'Pod', listKind: 'PodList', builtIn: true })
  const rows = []
  for (const [what, own] of [
    ['all watch the object', (): string => '/pods/default/pod-1'],
    ['all watch its namespace', (): string => '/pods/default/'],
    ['each watches an object of its own', (i: number): string => `/pods/default/pod-${i}`],
  ] as const) {
    const cache = new WatchCache({ store, clock: systemClock, log: silentLogger })
    let delivered = 0
    let last = 0
    const sink = {
      write(): boolean {
        delivered++
        last = performance.now()
        return true
      },
      end(): void {},
      drop(): void {},
    }
    const query = { resourceVersion: String(store.revision) }
    for (let i = 0; i < watchers; i++) cache.watch(own(i), query, view, sink)
    const latencies: number[] = []
    for (let i = 0; i < 200; i++) {
      const key = '/pods/default/pod-1'
      const began = performance.now()
      await store.write(key, objectText(key, i), store.get(key)!.revision)
      latencies.push(last - began)
    }
    cache.close()
    rows.push({ what, 'lines per write': delivered / 200, ...percentiles(latencies) })
  }
  return rows
}

function objectText(key: string, generation: number): string {
  const metadata = { name: key.slice(key.lastIndexOf('/') + 1), namespace: 'default', generation }
  const object = { kind: 'Pod', apiVersion: 'v1', metadata, spec: { filler: '' } }
  object.spec.filler = 'x'.repeat(bytes - JSON.stringify(object).length)
  return JSON.stringify(object)
}

function percentiles(latencies: readonly number[]): Record<string, string> {
  const sorted = latencies.toSorted((a, b) => a - b)
  const at = (share: number): string => sorted[Math.floor((sorted.length - 1) * share)]!.toFixed(2)
  return { 'median, ms': at(0.5), '99 %, ms': at(0.99) }
}

function bestOf(times: number, run: () => unknown): string {
  const once = (): number => {
    const start = performance.now()
    run()
    return performance.now() - start
  }
  return Math.min(...Array.from({ length: times }, once)).toFixed(3)
}
