import { describe, expect, it } from 'vitest'
import { numberText, quoted, fieldValueText } from './quoted-text.ts'

describe('values as Go prints them', () => {
  it.each([
    [null, '"null"'],
    ['a "b"\n', '"a \\"b\\"\\n"'],
    [7, '7'],
    [1.5, '1.5'],
    [true, 'true'],
    [['a', 'b'], '[]string{"a", "b"}'],
    [{ b: 1, a: [1] }, 'map[string]interface {}{"a":[]interface {}{1}, "b":1}'],
    [{ a: null }, 'map[string]interface {}{"a":interface {}(nil)}'],
  ])('%j', (value, text) => {
    expect(fieldValueText(value)).toBe(text)
  })

  it.each([
    [1e21, '1e+21'],
    [1e20, '100000000000000000000'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [1.5e-7, '1.5e-07'],
    [1e100, '1e+100'],
    [0, '0'],
    [-2.5, '-2.5'],
  ])('%d', (value, text) => {
    expect(numberText(value)).toBe(text)
  })

  it('quotes strings, with escaped control characters', () => {
    expect(quoted('\u0007\u0001\u007f\tä😀')).toBe('"\\a\\x01\\x7f\\tä😀"')
  })
})
