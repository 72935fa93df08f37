import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inWords, shortage } from './room.ts'

const gib = 1024 ** 3
const layers = (sizes: Record<string, number>): ReadonlyMap<string, number> =>
  new Map(Object.entries(sizes))
const room = (freeBytes: number, ...each: (ReadonlyMap<string, number> | undefined)[]) =>
  shortage({ layers: each, freeBytes, keepFreeBytes: 16 * gib })

describe('room for images', () => {
  it('is twice what comes over the line, beside what must stay free', () => {
    const image = layers({ a: 2 * gib, b: gib })
    expect(room(22 * gib + 1, image)).toBeUndefined()
    expect(room(22 * gib, image)).toBe(
      '1 image would take 6 GiB, and 16 GiB must stay free, but there are only 22 GiB: make room on the node, or pin less',
    )
  })

  it('is needed once for a layer that images share', () => {
    const [one, two] = [layers({ a: 2 * gib }), layers({ a: 2 * gib, b: 1024 })]
    expect(room(21 * gib, one, two)).toBeUndefined()
    expect(room(20 * gib, one, two)).toMatch(/^2 images would take 4 GiB,/)
  })

  it('is only what must stay free where nobody can tell more', () => {
    expect(room(16 * gib + 1, undefined)).toBeUndefined()
    expect(room(16 * gib, undefined)).toMatch(/^1 image would take 0 GiB,/)
  })

  it('is told in words', () => {
    expect([0, 1024 ** 2, 150 * 1024 ** 2, 1.26 * gib].map(inWords)).toEqual([
      '0 GiB',
      '1 MiB',
      '0.1 GiB',
      '1.3 GiB',
    ])
  })

  it('never is enough for more and too little for less', () => {
    const sizes = fc.array(fc.nat(1000), { maxLength: 6 })
    fc.assert(
      fc.property(
        sizes,
        sizes,
        fc.nat(9000),
        fc.nat(500),
        (few, more, freeBytes, keepFreeBytes) => {
          const of = (list: readonly number[]) =>
            shortage({
              layers: list.map((size, at) => layers({ [at]: size })),
              freeBytes,
              keepFreeBytes,
            })
          const isEnough = of([...few, ...more]) === undefined
          expect(isEnough && of(few) !== undefined).toBe(false)
        },
      ),
      { numRuns: 100 },
    )
  })
})
