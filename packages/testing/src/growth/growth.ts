/** One parser and one shape of hostile input, which the parser must read in linear time. */
export interface ParserCase {
  /** The file below the measured directory, and the function: `yaml.ts parseYaml`. */
  readonly parser: string
  /** The shape of the input, for the title. */
  readonly shape: string
  /** Creates an input of size n (2n is twice as long) and returns a function that reads it. A parse error counts as read. */
  readonly prepare: (n: number) => () => unknown
  /** The initial n, for parsers whose linear cost hides a quadratic cost at small n. */
  readonly from?: number | undefined
}

export interface ShapedInputs<Input> {
  readonly read: (input: Input) => unknown
  readonly shapes: Readonly<Record<string, (n: number) => Input>>
  readonly from?: number
}

/** The cases of one parser, one for each shape. */
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

/** Texts of one repeated piece with a prefix and a suffix. */
export const runs =
  (piece: string, before = '', behind = '') =>
  (n: number): string =>
    before + piece.repeat(n) + behind

export interface Growth {
  /** n, 2n, 4n and 8n. */
  readonly sizes: readonly number[]
  /** CPU time of this thread for each size in milliseconds: the minimum of several measurements. */
  readonly milliseconds: readonly number[]
}

/**
 * Whether 8n takes less than three times the linear time (8 times n; quadratic: 64 times), or less than three times 4n
 * (linear: 2, quadratic: 4). The margins allow for n log n, caches and garbage collection. A quadratic cost that exceeds the
 * first limit also exceeds the second.
 */
export function isLinear({ milliseconds }: Growth): boolean {
  const [n = 0, , n4 = 0, n8 = 0] = milliseconds
  const isLessThan = (times: number, than: number): boolean =>
    n8 < times * Math.max(than, negligibleMs)
  return isLessThan(8 * 3, n) || (n4 < Infinity && isLessThan(3, n4))
}

/** CPU time has a resolution of 4 ms on some kernels: runs are repeated until they have used this much. */
const measurableMs = 8
/** Minimum time of one run at n, so that a quadratic cost is measurable at 8n. */
const substantialMs = 1
/** Shorter times are noise. */
const negligibleMs = substantialMs / 4
/** At this n, 8n items of a few bytes are some megabytes; longer input is rejected by its size. */
const maxSize = 2 ** 16
const rounds = 20

export async function measureGrowth({ prepare, from = 64 }: ParserCase): Promise<Growth> {
  let n = from
  while (n < maxSize && (await elapsed(prepare(n))) < substantialMs) n *= 2
  const sizes = [n, 2 * n, 4 * n, 8 * n]
  // For nearly all parsers the first and the last measurement are sufficient.
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

/** Ignores parse errors: only the cost matters. */
async function runOnce(read: () => unknown): Promise<void> {
  try {
    const result = read()
    if (result instanceof Promise) await result
  } catch {}
}

/** Wall-clock time, which is faster to read: it only selects the initial n. */
async function elapsed(read: () => unknown): Promise<number> {
  // Warm up: the first run is slow.
  await runOnce(read)
  const before = performance.now()
  await runOnce(read)
  return performance.now() - before
}

/** CPU time of one run in milliseconds. */
async function cost(read: () => unknown): Promise<number> {
  const before = process.threadCpuUsage()
  for (let runs = 1; ; runs++) {
    await runOnce(read)
    const { user, system } = process.threadCpuUsage(before)
    const used = (user + system) / 1000
    if (used >= measurableMs || runs === maxRuns) return used / runs
  }
}

/** Limit for runs that take no measurable time. */
const maxRuns = 2000
