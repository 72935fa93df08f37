import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonNode } from './json.ts'
import { isJson, JsonSyntaxError, readJson } from './json.ts'

describe('readJson', () => {
  it('keeps details that JSON.parse drops', () => {
    expect(readJson('{"a": 1.0,\n "a": [null]}')).toEqual({
      kind: 'object',
      offset: 0,
      members: [
        { key: 'a', offset: 1, value: { kind: 'number', offset: 6, text: '1.0' } },
        {
          key: 'a',
          offset: 12,
          value: {
            kind: 'array',
            offset: 17,
            items: [{ kind: 'null', offset: 18, text: 'null' }],
          },
        },
      ],
    })
  })

  it.each([
    ['', 'unexpected end of the text', 0],
    [' ', 'unexpected end of the text', 1],
    ['{', 'expected a key in double quotes', 1],
    ['{"a"', 'expected ":" after the key', 4],
    ['{"a":', 'unexpected end of the text', 5],
    ['{"a":1', 'expected "," or "}"', 6],
    ['{"a":1,}', 'expected a key in double quotes', 7],
    ['[1 2]', 'expected "," or "]"', 3],
    ['[1,]', 'expected a value', 3],
    ['[01]', 'expected "," or "]"', 2],
    ['[.5]', 'expected a value', 1],
    ['tru', 'expected "true"', 0],
    ['nulll', 'unexpected text after the end of the value', 4],
    ['1 2', 'unexpected text after the end of the value', 2],
    ['"a', 'unterminated string', 2],
    ['"a\n"', 'control character in a string', 2],
    ['"\\x"', 'invalid escape in a string', 2],
    ['"\\u12g4"', 'expected four hexadecimal digits after "\\u"', 3],
    ['\ufeff1', 'expected a value', 0],
  ])('reports the problem of %j and its offset', (text, message, offset) => {
    expect(failureOf(text)).toEqual({ message, offset })
  })

  it('limits nesting, as Go does', () => {
    expect(failureOf('['.repeat(10_001))).toEqual({
      message: 'nested more than 10000 levels deep',
      offset: 10_000,
    })
  })

  it('parses deep nesting without exhausting the stack', () => {
    let node = readJson('['.repeat(10_000) + ']'.repeat(10_000))
    let depth = 0
    while (node.kind === 'array') {
      depth += 1
      if (!node.items[0]) break
      node = node.items[0]
    }
    expect(depth).toBe(10_000)
  })

  it('replaces half a surrogate pair, as Go does', () => {
    expect(readJson('"\\ud83d\\ude00 \\ud83d \\ude00"')).toMatchObject({ text: '😀 \ufffd \ufffd' })
  })

  it('agrees with JSON.parse', () => {
    const indents = fc.constantFrom('', ' ', '\t')
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), indents, (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        expect(valueOf(readJson(text))).toEqual(JSON.parse(text))
      }),
    )
  })

  it('rejects the same texts as JSON.parse', () => {
    const pieces =
      '{ } [ ] , : " \\ \\u00e4 \\n / 0 1 - . e E + true false null a "a" "b" 12'.split(' ')
    const texts = fc.array(fc.constantFrom(...pieces, ' ', '\n', '\u0001', '\u00a0'), {
      maxLength: 9,
    })
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.join('')
        expect(failureOf(text) === undefined).toBe(isParsable(text))
      }),
      { numRuns: 5000 },
    )
  })
})

describe('isJson', () => {
  it.each(['{}', ' [1, 2.5e3] ', 'null', '"a"', '1e-999', '{"a":1,"a":2}'])(
    'accepts %s',
    (text) => {
      expect(isJson(text)).toBe(true)
    },
  )

  it('accepts any number of items', () => {
    expect(isJson(`[${'0,'.repeat(300_000)}0]`)).toBe(true)
  })

  it.each(['', '{', '[1,]', "{'a':1}", '{} {}', '1e999', '[[-1e400]]', '{"a":1e999}'])(
    'rejects %s',
    (text) => {
      expect(isJson(text)).toBe(false)
    },
  )
})

function failureOf(text: string): { message: string; offset: number } | undefined {
  try {
    readJson(text)
    return undefined
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    return { message: error.message, offset: error.offset }
  }
}

function isParsable(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function valueOf(node: JsonNode): unknown {
  if (node.kind === 'array') return node.items.map(valueOf)
  if (node.kind === 'object') {
    return Object.fromEntries(node.members.map(({ key, value }) => [key, valueOf(value)]))
  }
  return node.kind === 'string' ? node.text : JSON.parse(node.text)
}
