import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatBytes, shortage } from './disk-space.ts'

const gib = 1024 ** 3
const layers = (sizes: Record<string, number>): ReadonlyMap<string, number> =>
  new Map(Object.entries(sizes))
const room = (freeBytes: number, ...each: (ReadonlyMap<string, number> | undefined)[]) =>
  shortage({ layers: each, freeBytes, keepFreeBytes: 16 * gib })

describe('the disk space for images', () => {
  it('is twice the size of the layers, in addition to the reserve', () => {
    const image = layers({ a: 2 * gib, b: gib })
    expect(room(22 * gib + 1, image)).toBeUndefined()
    expect(room(22 * gib, image)).toBe(
      '1 image would need 6 GiB, and 16 GiB must stay free, but only 22 GiB are: free disk space on the node, or pin fewer images',
    )
  })

  it('counts a shared layer once', () => {
    const [one, two] = [layers({ a: 2 * gib }), layers({ a: 2 * gib, b: 1024 })]
    expect(room(21 * gib, one, two)).toBeUndefined()
    expect(room(20 * gib, one, two)).toMatch(/^2 images would need 4 GiB,/)
  })

  it('is only the reserve if the sizes are unknown', () => {
    expect(room(16 * gib + 1, undefined)).toBeUndefined()
    expect(room(16 * gib, undefined)).toMatch(/^1 image would need 0 GiB,/)
  })

  it('is formatted with units', () => {
    expect([0, 1024 ** 2, 150 * 1024 ** 2, 1.26 * gib].map(formatBytes)).toEqual([
      '0 GiB',
      '1 MiB',
      '0.1 GiB',
      '1.3 GiB',
    ])
  })

  it('never suffices for more images and not for fewer', () => {
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
