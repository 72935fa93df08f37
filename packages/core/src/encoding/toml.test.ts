import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '@machinist/testing/thrown-by'
import { InvalidInput, messageOf } from '../errors.ts'
import { editToml, formatToml, parseToml } from './toml.ts'

describe('TOML', () => {
  it('is parsed', () => {
    expect(parseToml('a = 1\n[b.c]\nd = ["x", "y"]\n')).toEqual({
      a: 1,
      b: { c: { d: ['x', 'y'] } },
    })
    expect(parseToml('a = 9223372036854775807')).toEqual({ a: 9223372036854775807n })
  })

  it('reports the position of an error without quoting', () => {
    expect(() => parseToml('a = 1\nb = secret')).toThrow(
      new InvalidInput('not valid TOML (line 2, column 5)'),
    )
    expect(messageOf(thrownBy(() => parseToml('a = 1\nb = canary-7d1f')))).toBe(
      'not valid TOML (line 2, column 5)',
    )
  })

  it('is written with one trailing newline', () => {
    expect(formatToml({ crio: { runtime: { log_size_max: 10000000000 } } })).toBe(
      '[crio.runtime]\nlog_size_max = 10000000000\n',
    )
    expect(formatToml({ a: 9223372036854775807n })).toBe('a = 9223372036854775807\n')
  })

  it('keeps the types of unchanged numbers in an edit', () => {
    const text = '# gone\na = 1\nb = 1.0\n[c]\nd = "x"\n'
    expect(editToml(text, (table) => ({ ...table, c: { d: 'y' } }))).toBe(
      'a = 1\nb = 1.0\n\n[c]\nd = "y"\n',
    )
  })

  it('survives a round trip', () => {
    const value = fc.oneof(fc.string(), fc.boolean(), fc.integer(), fc.array(fc.string()))
    const key = fc.stringMatching(/^[a-z "._-]{1,8}$/)
    const table = fc.dictionary(key, fc.oneof(value, fc.dictionary(key, value)), {
      noNullPrototype: true,
    })
    fc.assert(
      fc.property(table, (one) => {
        expect(parseToml(formatToml(one))).toEqual(one)
        expect(parseToml(editToml(formatToml(one), (same) => same))).toEqual(one)
      }),
      { numRuns: 200 },
    )
  })

  it('throws only InvalidInput', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const thrown = thrownBy(() => parseToml(text))
        expect(thrown === undefined || thrown instanceof InvalidInput).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})
