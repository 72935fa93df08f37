import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nanosOf, quantityValue } from './quantity.ts'

describe('a quantity', () => {
  it.each([
    ['0', 0n],
    ['10G', 10_000_000_000n],
    ['10Gi', 10_737_418_240n],
    ['3k', 3000n],
    ['10k', 10_000n],
    ['8Ki', 8192n],
    ['1.5Gi', 1_610_612_736n],
    ['1e3', 1000n],
    ['-1', -1n],
    ['+5', 5n],
    ['100m', 1n],
    ['-100m', -1n],
    ['1500m', 2n],
    ['.5', 1n],
    ['9E', 9_000_000_000_000_000_000n],
    [50_000_000, 50_000_000n],
  ])('%s is %s', (text, value) => {
    expect(quantityValue(text)).toBe(value)
  })

  it.each(['', ' ', '1 G', '1g', '1KiB', 'ten', '1e', '1.2.3', '--1', '0x10', 'NaN'])(
    '%j is not a quantity',
    (text) => {
      expect(quantityValue(text)).toBeUndefined()
    },
  )

  it('is exact to the billionth', () => {
    expect(nanosOf('1n')).toBe(1n)
    expect(nanosOf('0.0000000001')).toBe(1n)
    expect(nanosOf('1.000000001')).toBe(1_000_000_001n)
  })

  it('accepts an integer', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), (number) => {
        expect(quantityValue(String(number))).toBe(number)
        expect(quantityValue(`${number}k`)).toBe(number * 1000n)
        expect(quantityValue(`${number}Mi`)).toBe(number * 1024n * 1024n)
      }),
    )
  })
})
