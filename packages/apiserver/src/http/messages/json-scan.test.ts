import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonProblem, readJson } from './json-scan.ts'

describe('readJson', () => {
  it.each([
    ['{bad', "invalid character 'b' looking for beginning of object key string"],
    ['', 'unexpected end of JSON input'],
    ['xx', "invalid character 'x' looking for beginning of value"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b":2}', `invalid character '"' after object key:value pair`],
    ['[1 2]', "invalid character '2' after array element"],
    ['{} x', "invalid character 'x' after top-level value"],
    ['{"a":', 'unexpected end of JSON input'],
    ['"a', 'unexpected end of JSON input'],
  ])('reports %j as Go does', (text, message) => {
    expect(() => readJson(text)).toThrow(new JsonProblem(message))
  })

  it('finds every duplicate key once', () => {
    const text = '{"a":1,"b":{"c":1,"c":2,"c":3},"l":[{"x":1},{"x":1,"x":2}],"a":2}'
    expect(readJson(text)).toEqual({
      value: { a: 2, b: { c: 3 }, l: [{ x: 1 }, { x: 2 }] },
      duplicates: ['b.c', 'l[1].x', 'a'],
    })
  })

  it('reports at most 100 duplicates, as kube-apiserver does', () => {
    const twice = Array.from({ length: 300 }, (_, i) => `"k${i}":1,"k${i}":2`)
    const { duplicates } = readJson(`{${twice.join(',')}}`)
    expect(duplicates).toHaveLength(100)
    expect(duplicates.at(-1)).toBe('k99')
  })

  it('truncates the beginning of a long path of a duplicate', () => {
    const long = 'k'.repeat(2000)
    expect(readJson(`{"${long}":{"a":1,"a":2}}`).duplicates).toEqual([`...${'k'.repeat(1022)}.a`])
  })

  it('uses no memory per duplicate under a long key', () => {
    const text = `{"${'k'.repeat(1_000_000)}":{${'"a":1,'.repeat(280_000)}"a":2}}`
    expect(readJson(text).duplicates).toHaveLength(1)
  })

  it('compares unescaped keys', () => {
    expect(readJson('{"a":1,"\\u0061":2}').duplicates).toEqual(['a'])
  })

  it('rejects deep nesting', () => {
    expect(() => readJson('['.repeat(100_000))).toThrow(
      new JsonProblem("invalid character '[' exceeded max depth"),
    )
    const deep = `${'['.repeat(1000)}${']'.repeat(1000)}`
    expect(readJson(deep).duplicates).toEqual([])
  })

  it('reads any JSON, and finds no duplicates without any', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(readJson(text)).toEqual({ value: JSON.parse(text), duplicates: [] })
      }),
      { numRuns: 200 },
    )
  })

  it('accepts and rejects the same texts as JSON.parse', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"a"',
      '"',
      '1',
      '-',
      'true',
      ' ',
      '\\',
      '\u0001',
      'e',
    )
    const noise = fc.oneof(
      fc.string(),
      fc.array(pieces).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(noise, (text) => {
        expect(outcome(() => readJson(text).value)).toEqual(outcome(() => JSON.parse(text)))
      }),
      { numRuns: 500 },
    )
  })
})

/** The parsed value, or `refused` for the expected error. */
function outcome(read: () => unknown): unknown {
  try {
    return { read: read() }
  } catch (error) {
    if (error instanceof JsonProblem || error instanceof SyntaxError) return 'refused'
    throw error
  }
}
