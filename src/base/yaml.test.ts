import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '../../test/support/thrown-by.ts'
import { InvalidInput } from './errors.ts'
import { parseYaml, parseYamlDocuments, toYaml } from './yaml.ts'

describe('parseYaml', () => {
  it('reads YAML 1.1, as kubectl does', () => {
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

  it('reads JSON', () => {
    expect(parseYaml('{"a": [1, "two", null]}', 'a.json')).toEqual({ a: [1, 'two', null] })
  })

  it('names the file and the place of a mistake', () => {
    expect(() => parseYaml('a: [1\nb: 2', 'pool.yaml')).toThrow(
      /^pool\.yaml: not valid YAML: .*line 2/,
    )
    expect(() => parseYaml('a: 1\na: 2', 'pool.yaml')).toThrow(/keys must be unique.*line 2/i)
  })

  it('refuses a second document where one is expected', () => {
    expect(() => parseYaml('a: 1\n---\nb: 2', 'two.yaml')).toThrow('holds 2 YAML documents')
  })

  it('refuses an alias bomb', () => {
    const levels = Array.from(
      { length: 9 },
      (_, i) => `l${i + 1}: &l${i + 1} [${`*l${i},`.repeat(9)}]`,
    )
    expect(() => parseYaml(`l0: &l0 [x]\n${levels.join('\n')}`, 'bomb')).toThrow(InvalidInput)
  })
})

describe('parseYamlDocuments', () => {
  it('leaves out empty documents', () => {
    expect(parseYamlDocuments('---\n---\na: 1\n---\n# nothing\n---\nb: 2\n', 's')).toEqual([
      { a: 1 },
      { b: 2 },
    ])
    expect(parseYamlDocuments('', 's')).toEqual([])
  })

  it('throws nothing but InvalidInput, whatever the text', () => {
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
  it('quotes what YAML 1.1 would misread', () => {
    expect(toYaml({ a: 'on', b: '0644', c: 'no', d: '1e3', e: 'plain' })).toBe(
      'a: "on"\nb: "0644"\nc: "no"\nd: "1e3"\ne: plain\n',
    )
  })

  it('gives back what it was given', () => {
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
