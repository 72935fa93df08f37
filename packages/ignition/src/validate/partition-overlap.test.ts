import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Partition } from '../spec/config.ts'
import { overlappingPartition } from './partition-overlap.ts'

describe('overlappingPartition', () => {
  it('returns one of the two', () => {
    const partitions = [
      { startMiB: 100, sizeMiB: 10 },
      { startMiB: 1, sizeMiB: 10 },
      { startMiB: 105, sizeMiB: 0 },
    ]
    expect(overlappingPartition(partitions)).toBe(2)
    expect(overlappingPartition(partitions.slice(0, 2))).toBeUndefined()
  })

  it('agrees with comparing all pairs', () => {
    const partition = fc.record({
      startMiB: fc.option(fc.integer({ min: -6, max: 14 }), { nil: undefined }),
      sizeMiB: fc.option(fc.integer({ min: -6, max: 6 }), { nil: undefined }),
    })
    fc.assert(
      fc.property(fc.array(partition, { maxLength: 6 }), (drawn) => {
        const partitions = drawn as Partition[]
        expect(overlappingPartition(partitions) !== undefined).toBe(anyTwoOverlap(partitions))
      }),
      { numRuns: 5000 },
    )
  })
})

/** The rule of Ignition. */
function anyTwoOverlap(partitions: readonly Partition[]): boolean {
  const spans = partitions
    .filter(({ startMiB, sizeMiB }) => startMiB && sizeMiB !== undefined)
    .map(({ startMiB: start = 0, sizeMiB: size = 0 }) => ({
      start,
      end: size === 0 ? start : start + size - 1,
    }))
  return spans.some((p) =>
    spans.some(
      (o) =>
        p !== o &&
        ((p.start >= o.start && p.start <= o.end) ||
          (p.end >= o.start && p.end <= o.end) ||
          (p.start < o.start && p.end > o.end)),
    ),
  )
}
