import type { Partition } from '../config.ts'

interface Span {
  readonly index: number
  readonly start: number
  readonly end: number
}

/**
 * The index of a partition that lies over another one. Only partitions with a given start and size are compared; a start
 * of 0 means "wherever there is room", and a size of 0 "what is left", which counts as one MiB here.
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
 * Ignition lets negative sizes pass, so its verdict on those is matched, too: the end comes before the start then, and
 * such a span must not have an edge in a proper one, nor lie within the reach of one that starts before it.
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

/** How many of the sorted spans start at or before this point. */
function countUpTo(sorted: readonly Span[], point: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]!.start <= point) low = middle + 1
    else high = middle
  }
  return low
}
