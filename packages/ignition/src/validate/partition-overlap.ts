import type { Partition } from '../spec/config.ts'

interface Span {
  readonly index: number
  readonly start: number
  readonly end: number
}

/**
 * The index of a partition that overlaps another one. Compares only partitions with start and size. A start of 0 means the next free
 * space; a size of 0 means the remaining space, which counts as one MiB here.
 */
export function overlappingPartition(partitions: readonly Partition[]): number | undefined {
  const spans = partitions.flatMap(spanOf).sort((a, b) => a.start - b.start)
  const proper = spans.filter(({ start, end }) => end >= start)
  return firstOverlap(proper) ?? overlapOfReversed(spans, proper)
}

function spanOf(partition: Partition, index: number): Span[] {
  const { startMiB: start, sizeMiB: size } = partition
  if (start === undefined || size === undefined || start === 0) return []
  return [{ index, start, end: size === 0 ? start : start + size - 1 }]
}

function firstOverlap(sorted: readonly Span[]): number | undefined {
  let reached = -Infinity
  for (const { index, start, end } of sorted) {
    if (start <= reached) return index
    reached = Math.max(reached, end)
  }
  return undefined
}

/**
 * Ignition accepts negative sizes, so this function reproduces its result for them: the end is before the start, and such a span
 * must not have an edge inside a regular span, nor lie inside a span that starts before it.
 */
function overlapOfReversed(sorted: readonly Span[], disjoint: readonly Span[]): number | undefined {
  const reached: number[] = []
  for (const { end } of sorted) reached.push(Math.max(reached.at(-1) ?? -Infinity, end))
  const isTaken = (point: number): boolean =>
    point <= (disjoint[countUpTo(disjoint, point) - 1]?.end ?? -Infinity)
  const overlapping = sorted.find(({ start, end }) => {
    if (end >= start) return false
    const straddled = (reached[countUpTo(sorted, start - 1) - 1] ?? -Infinity) > end
    return straddled || isTaken(start) || isTaken(end)
  })
  return overlapping?.index
}

/** The number of sorted spans that start at or before this point. */
function countUpTo(sorted: readonly Span[], point: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]!.start <= point) low = middle + 1
    else high = middle
  }
  return low
}
