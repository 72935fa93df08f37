/** One parser and one shape of hostile input, which it must read in time proportional to the length of the input. */
export interface ParserCase {
  /** The file below the measured directory, and the function: `yaml.ts parseYaml`. */
  readonly parser: string
  /** The shape of the input, for the title. */
  readonly shape: string
  /** Makes an input of size n (2n: twice as long) and returns what reads it. A refusal counts as read. */
  readonly prepare: (n: number) => () => unknown
  /** The n to begin with, where a large linear cost hides a quadratic one at a smaller n. */
  readonly from?: number | undefined
}

export interface ShapedInputs<Input> {
  readonly read: (input: Input) => unknown
  readonly shapes: Readonly<Record<string, (n: number) => Input>>
  readonly from?: number
}

/** The cases of one parser: one for each shape. */
export function casesOf<Input = string>(
  parser: string,
  { read, shapes, from }: ShapedInputs<Input>,
): ParserCase[] {
  return Object.entries(shapes).map(([shape, input]) => ({
    parser,
    shape,
    prepare: (n) => {
      const made = input(n)
      return () => read(made)
    },
    from,
  }))
}

/** `one(0)`, `one(1)`, … */
export const many = (n: number, one: (i: number) => string, between = ''): string =>
  Array.from({ length: n }, (_, i) => one(i)).join(between)

/** Texts of one repeated piece, with something before and behind it. */
export const runs =
  (piece: string, before = '', behind = '') =>
  (n: number): string =>
    before + piece.repeat(n) + behind

export interface Growth {
  /** n, 2n, 4n and 8n. */
  readonly sizes: readonly number[]
  /** Processor time of this thread for each size in milliseconds: the best of several measurements. */
  readonly milliseconds: readonly number[]
}

/**
 * Whether 8n takes less than three times what linear time would be (8 times n; quadratic: 64 times), or less than three
 * times 4n (linear: 2, quadratic: 4). Both at once are room for n log n, caches and garbage collection, and whatever has a
 * quadratic part that shows in the first shows in the second too.
 */
export function isLinear({ milliseconds }: Growth): boolean {
  const [n = 0, , n4 = 0, n8 = 0] = milliseconds
  const isLessThan = (times: number, than: number): boolean =>
    n8 < times * Math.max(than, negligible)
  return isLessThan(8 * 3, n) || (n4 < Infinity && isLessThan(3, n4))
}

/** The clock of processor time has ticks of 4 ms on some kernels: runs are repeated until they have used this much. */
const measurable = 8
/** What one run at n takes at least, and at 8n eight times that: enough for a quadratic part to show. */
const substantial = 1
/** Less than this is noise. */
const negligible = substantial / 4
/** 8n items of a few bytes are some megabytes then: longer input is refused by its size. */
const most = 2 ** 16
const rounds = 20

export async function growthOf({ prepare, from = 64 }: ParserCase): Promise<Growth> {
  let n = from
  while (n < most && (await elapsed(prepare(n))) < substantial) n *= 2
  const sizes = [n, 2 * n, 4 * n, 8 * n]
  // Nearly all are seen to be linear by the first and the last alone.
  const [first, last] = [await cost(prepare(n)), await cost(prepare(8 * n))]
  let growth: Growth = { sizes, milliseconds: [first, Infinity, Infinity, last] }
  if (isLinear(growth)) return growth
  for (let round = 0; round < rounds; round++) {
    const milliseconds: number[] = []
    for (const [i, size] of sizes.entries()) {
      milliseconds.push(Math.min(growth.milliseconds[i]!, await cost(prepare(size))))
    }
    growth = { sizes, milliseconds }
    if (isLinear(growth)) break
  }
  return growth
}

/** A refusal is a result like any other: what it cost is what counts. */
async function ran(read: () => unknown): Promise<void> {
  try {
    const result = read()
    if (result instanceof Promise) await result
  } catch {}
}

/** By the clock on the wall, which is quicker to ask: it only decides where to begin. */
async function elapsed(read: () => unknown): Promise<number> {
  // The first run is slow because its code is cold.
  await ran(read)
  const before = performance.now()
  await ran(read)
  return performance.now() - before
}

/** Milliseconds of processor time for one run. */
async function cost(read: () => unknown): Promise<number> {
  const before = process.threadCpuUsage()
  for (let runs = 1; ; runs++) {
    await ran(read)
    const { user, system } = process.threadCpuUsage(before)
    const used = (user + system) / 1000
    if (used >= measurable || runs === mostRuns) return used / runs
  }
}

/** So many runs that take nothing measurable take nothing. */
const mostRuns = 2000
