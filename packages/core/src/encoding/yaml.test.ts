import { setImmediate } from 'node:timers/promises'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '@machinist/testing/thrown-by'
import { InvalidInput } from '../errors.ts'
import { parseYaml, parseYamlDocuments, toYaml } from './yaml.ts'

describe('parseYaml', () => {
  it('parses YAML 1.1, as kubectl does', () => {
    const text = 'mode: 0644\nflag: on\nname: "on"\nsize: 0x1F\ndate: 2026-01-01\ntime: 12:30:45\n'
    expect(parseYaml(text, 'a.yaml')).toEqual({
      mode: 420,
      flag: true,
      name: 'on',
      size: 31,
      date: '2026-01-01',
      time: '12:30:45',
    })
  })

  it('parses JSON', () => {
    expect(parseYaml('{"a": [1, "two", null]}', 'a.json')).toEqual({ a: [1, 'two', null] })
  })

  it('reports the file and the position of an error', () => {
    expect(() => parseYaml('a: [1\nb: 2', 'pool.yaml')).toThrow(
      /^pool\.yaml: not valid YAML: .*line 2/,
    )
    expect(() => parseYaml('a: 1\na: 2', 'pool.yaml')).toThrow(/keys must be unique.*line 2/i)
  })

  it('rejects a second document', () => {
    expect(() => parseYaml('a: 1\n---\nb: 2', 'two.yaml')).toThrow(
      'contains 2 YAML documents; expected one',
    )
  })

  it('rejects an alias bomb', () => {
    const levels = Array.from(
      { length: 9 },
      (_, i) => `l${i + 1}: &l${i + 1} [${`*l${i},`.repeat(9)}]`,
    )
    expect(() => parseYaml(`l0: &l0 [x]\n${levels.join('\n')}`, 'bomb')).toThrow(
      'bomb: not valid YAML: Aliases make the document too large at line',
    )
  })

  it('expands aliases, and merges maps without replacing existing keys', () => {
    const text =
      'base: &base {a: 1, b: 2}\nlist: [*base, *base]\nmerged: {b: 3, <<: *base, c: 4}\nboth: {<<: [{a: 0}, *base]}'
    expect(parseYaml(text, 'a.yaml')).toEqual({
      base: { a: 1, b: 2 },
      list: [
        { a: 1, b: 2 },
        { a: 1, b: 2 },
      ],
      merged: { b: 3, a: 1, c: 4 },
      both: { a: 0, b: 2 },
    })
    expect(() => parseYaml('a: *b', 'a.yaml')).toThrow(
      /^a\.yaml: not valid YAML: .* at line 1, column 4$/,
    )
    expect(() => parseYaml('a: &a {b: *a}', 'a.yaml')).toThrow(InvalidInput)
  })

  it.each([
    ['lists', '['.repeat(100_000)],
    ['lists in lines', '- '.repeat(100_000)],
    [
      'aliases',
      `- &a0 []\n${Array.from({ length: 2000 }, (_, i) => `- &a${i + 1} [*a${i}]\n`).join('')}`,
    ],
  ])('rejects deeply nested %s', (_what, text) => {
    expect(() => parseYaml(text, 'deep')).toThrow(
      'deep: not valid YAML: Nested more than 1000 levels deep at line',
    )
  })

  it('rejects more tokens than the limit of the caller', () => {
    expect(parseYaml('[1, 2, 3]', 'few', 20)).toEqual([1, 2, 3])
    expect(() => parseYaml('[1, 2, 3, 4, 5, 6, 7]', 'many', 20)).toThrow(
      'many: not valid YAML: More than 20 tokens at line 1',
    )
  })

  it('treats `__proto__` as an ordinary key', () => {
    const value = parseYaml('__proto__: {a: 1}', 'a.yaml')
    expect(Object.keys(value as object)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })
})

describe('a secret in YAML', () => {
  const secret = 'canary-7d1f'

  it.each([
    [
      'a map as a key',
      `{password: ${secret}}: 1`,
      'A map or a list cannot be a key; quote the key',
    ],
    ['an unquoted template', `a: {{ ${secret} }}`, 'A map or a list cannot be a key'],
    ['a block header', `a: |${secret}`, 'Block scalar header includes extra characters'],
    ['an extra scalar', `"a"\n${secret}: b`, 'Unexpected scalar'],
    ['an unknown tag', `!a!${secret} b`, 'A tag cannot be resolved'],
    ['an escape', `"\\c${secret}"`, 'Invalid escape sequence'],
    ['a missing quote', `a: "${secret}`, 'Missing closing "quote'],
    ['an unknown alias', `a: *${secret}`, 'Alias without a preceding anchor'],
    ['a duplicate', `${secret}: 1\n${secret}: 2`, 'Map keys must be unique'],
    ['a value with a colon', `a: b: ${secret}`, 'Nested mappings are not allowed'],
  ])('appears neither in the error nor in a warning: %s', async (_what, text, message) => {
    const warnings: Error[] = []
    const listen = (warning: Error): void => void warnings.push(warning)
    process.on('warning', listen)
    try {
      const error = thrownBy(() => parseYamlDocuments(text, 'settings')) as Error
      expect(error).toBeInstanceOf(InvalidInput)
      expect(error.message).toContain(`settings: not valid YAML: ${message}`)
      expect(inspect(error, { depth: 9 })).not.toContain(secret)
      // Node emits warnings in the next tick.
      await setImmediate()
    } finally {
      process.off('warning', listen)
    }
    expect(warnings).toEqual([])
  })
})

describe('parseYamlDocuments', () => {
  it('omits empty documents', () => {
    expect(parseYamlDocuments('---\n---\na: 1\n---\n# nothing\n---\nb: 2\n', 's')).toEqual([
      { a: 1 },
      { b: 2 },
    ])
    expect(parseYamlDocuments('', 's')).toEqual([])
  })

  it('throws only InvalidInput, for any text', () => {
    const pieces = fc.constantFrom(
      'a',
      ': ',
      '\n',
      '- ',
      '&x ',
      '*x',
      '[',
      ']',
      '{',
      '}',
      '"',
      "'",
      '|',
      '>',
      '!!',
      '#',
      '---\n',
      '\t',
      '  ',
      '<<',
      '0x',
      '%',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces, { maxLength: 30 }).map((p) => p.join('')),
        ),
        (text) => {
          expect([undefined, expect.any(InvalidInput)]).toContainEqual(
            thrownBy(() => parseYamlDocuments(text, 'fuzz')),
          )
        },
      ),
      { numRuns: 2000 },
    )
  })
})

describe('toYaml', () => {
  it('quotes strings that YAML 1.1 would misread', () => {
    expect(toYaml({ a: 'on', b: '0644', c: 'no', d: '1e3', e: 'plain' })).toBe(
      'a: "on"\nb: "0644"\nc: "no"\nd: "1e3"\ne: plain\n',
    )
  })

  it('survives a round trip', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: true }), (value) => {
        const back = parseYaml(toYaml({ value }), 'round trip') as { value: unknown }
        expect(JSON.stringify(back.value)).toBe(
          JSON.stringify(value).replaceAll(/-0(?=[,\]}]|$)/g, '0'),
        )
      }),
      { numRuns: 300 },
    )
  })
})
