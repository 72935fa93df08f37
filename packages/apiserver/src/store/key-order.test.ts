import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boundsOf, compareKeys } from './key-order.ts'

const text = fc.string({ unit: 'binary' })
const bytes = (key: string): Buffer => Buffer.from(key)

describe('the order of keys', () => {
  it('is that of their UTF-8 bytes', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareKeys(a, b))).toBe(Buffer.compare(bytes(a), bytes(b)))
      }),
      { numRuns: 500 },
    )
    expect(compareKeys('/\uff5e', '/😀')).toBeLessThan(0)
  })

  it('converts a prefix and a start key to a range', () => {
    expect(boundsOf({ prefix: '/a/' })).toEqual({ low: '/a/', end: '/a/\u{10ffff}' })
    expect(boundsOf({ prefix: '/a/', after: '/a/1' }).low).toBe('/a/1\u0000')
    expect(boundsOf({ prefix: '/a/', after: '/Z' }).low).toBe('/a/')
    const within = (key: string, prefix: string, after: string): boolean => {
      const { low, end } = boundsOf({ prefix, after })
      return compareKeys(key, low) >= 0 && compareKeys(key, end) < 0
    }
    const short = fc.string({ unit: fc.constantFrom('/', 'a', 'b', '\u0000', 'é'), maxLength: 4 })
    fc.assert(
      fc.property(short, short, short, (key, prefix, after) => {
        fc.pre(key !== '')
        const belongs = key.startsWith(prefix) && compareKeys(key, after) > 0
        expect(within(key, prefix, after)).toBe(belongs)
      }),
      { numRuns: 500 },
    )
  })
})
