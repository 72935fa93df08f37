import type { ServerAddress } from './api-connection.ts'
import { ApiConnection } from './api-connection.ts'
import { realisticNode } from './bench-nodes.ts'
import { megabytesOf, processorSecondsOf } from './process-memory.ts'

/** The message that starts the work of this process. */
export interface Work {
  readonly address: ServerAddress
  /** The processes of the server. */
  readonly pids: readonly number[]
  readonly watchers: number
  readonly nodes: number
  readonly changes: number
}

/** The results by name, in the order of measurement. */
export type Measured = Record<string, number>

if (process.argv[1] === import.meta.filename) {
  process.once('message', (work: Work) => {
    void measure(work).then((measured) => process.send?.(measured, () => process.exit()))
  })
}

async function measure(work: Work): Promise<Measured> {
  const api = new ApiConnection(work.address)
  const measured = { ...(await manyWatchers(api, work)), ...(await manyNodes(api, work)) }
  api.close()
  return measured
}

const memory = ({ pids }: Work): number =>
  pids.reduce((sum, pid) => sum + megabytesOf(pid, 'VmRSS'), 0)

const processor = ({ pids }: Work): number =>
  pids.reduce((sum, pid) => sum + processorSecondsOf(pid), 0)

/** One object with many watchers and sequential writes. */
async function manyWatchers(api: ApiConnection, work: Work): Promise<Measured> {
  const { watchers } = work
  const path = '/api/v1/namespaces/default/configmaps'
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'watched' } }
  const { text } = await api.post(path, { ...object, data: { text: 'x'.repeat(1000) } })
  const before = memory(work)
  const usage = [processor(work)]
  const heard = new Tally()
  const query = `watch=true&fieldSelector=metadata.name%3Dwatched&resourceVersion=${versionIn(text)}`
  const opened = await timed(() =>
    inLanes(watchers, 50, () => api.watch(`${path}?${query}`, heard.add)),
  )
  const open = memory(work)
  usage.push(processor(work))
  const latencies: number[] = []
  for (let write = 1; write <= 10; write++) {
    const began = performance.now()
    const all = heard.reached(write * watchers)
    await api.patch(`${path}/watched`, { data: { write: `${write}` } })
    latencies.push((await all) - began)
  }
  const after = memory(work)
  usage.push(processor(work))
  for (const stop of opened.result) stop()
  const name = `${watchers} watchers`
  return {
    [`${name}: opened, ms`]: opened.ms,
    [`${name}: a write to the last delivery, median, ms`]: median(latencies),
    [`${name}: a write to the last delivery, worst, ms`]: Math.max(...latencies),
    [`${name}: processor for opening, s`]: usage[1]! - usage[0]!,
    [`${name}: processor per write, ms`]: ((usage[2]! - usage[1]!) / 10) * 1000,
    'memory at first, MB': before,
    [`memory with ${name}, MB`]: open,
    [`memory after the writes to ${name}, MB`]: after,
  }
}

async function manyNodes(api: ApiConnection, work: Work): Promise<Measured> {
  const { nodes, changes } = work
  const path = '/api/v1/nodes'
  const usage = [processor(work)]
  const created = await timed(() =>
    inLanes(nodes, 32, (i) => api.post(path, realisticNode(i)).then(() => undefined)),
  )
  const stored = memory(work)
  usage.push(processor(work))
  const first = await timed(() => api.get(path))
  const again: number[] = []
  for (let i = 0; i < 3; i++) again.push((await timed(() => api.get(path))).ms)
  usage.push(processor(work))
  const paged = await timed(() => pages(api, path))
  const listed = memory(work)
  usage.push(processor(work))
  const followed = await follow(api, path, changes, versionIn(first.result.text))
  usage.push(processor(work))
  const used = (phase: number): number => usage[phase]! - usage[phase - 1]!
  return {
    [`${nodes} nodes: created per second`]: nodes / (created.ms / 1000),
    [`${nodes} nodes: processor per creation, ms`]: (used(1) / nodes) * 1000,
    [`${nodes} nodes: list, MB`]: first.result.bytes / 1e6,
    [`${nodes} nodes: first list, ms`]: first.ms,
    [`${nodes} nodes: list again, ms`]: median(again),
    [`${nodes} nodes: processor per list, ms`]: (used(2) / 4) * 1000,
    [`${nodes} nodes: list in pages of 500, ms`]: paged.ms,
    [`${nodes} nodes: processor for the pages, ms`]: used(3) * 1000,
    [`${changes} changes: delivered per second`]: changes / (followed.lastMs / 1000),
    [`${changes} changes: last answer to last delivery, ms`]: followed.lagMs,
    [`${changes} changes: processor per change, ms`]: (used(4) / changes) * 1000,
    [`memory with ${nodes} nodes, MB`]: stored,
    'memory after the lists, MB': listed,
    'memory after the changes, MB': memory(work),
  }
}

async function pages(api: ApiConnection, path: string): Promise<void> {
  let token = ''
  do {
    const { text } = await api.get(`${path}?limit=500&continue=${encodeURIComponent(token)}`)
    // Near the start: `metadata` is before `items`.
    token = /"continue":"([^"]*)"/.exec(text.slice(0, 1000))?.[1] ?? ''
  } while (token !== '')
}

async function follow(
  api: ApiConnection,
  path: string,
  changes: number,
  version: string,
): Promise<{ lastMs: number; lagMs: number }> {
  const heard = new Tally()
  const stop = await api.watch(`${path}?watch=true&resourceVersion=${version}`, heard.add)
  const began = performance.now()
  const all = heard.reached(changes)
  await inLanes(changes, 32, async (i) => {
    const metadata = { annotations: { 'machineconfiguration.openshift.io/reason': `change ${i}` } }
    await api.patch(`${path}/worker-${String(i).padStart(5, '0')}.example.com`, { metadata })
  })
  const answered = performance.now()
  const last = await all
  stop()
  return { lastMs: last - began, lagMs: Math.max(0, last - answered) }
}

/** Counts lines and resolves when a number is reached. */
class Tally {
  #count = 0
  #goal = Infinity
  #reach: (at: number) => void = () => {}

  readonly add = (lines: number): void => {
    this.#count += lines
    if (this.#count >= this.#goal) this.#reach(performance.now())
  }

  reached(goal: number): Promise<number> {
    return new Promise((resolve) => {
      this.#goal = goal
      this.#reach = resolve
      this.add(0)
    })
  }
}

/** Runs a task this many times with `concurrency` concurrent runs. */
async function inLanes<T>(
  times: number,
  concurrency: number,
  run: (i: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < times) results.push(await run(next++))
  }
  await Promise.all(Array.from({ length: concurrency }, lane))
  return results
}

async function timed<T>(run: () => Promise<T>): Promise<{ ms: number; result: T }> {
  const began = performance.now()
  const result = await run()
  return { ms: performance.now() - began, result }
}

function versionIn(text: string): string {
  return /"resourceVersion":"(\d+)"/.exec(text)![1]!
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}
