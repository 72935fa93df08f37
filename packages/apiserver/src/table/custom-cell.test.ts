import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Column } from '../kinds/served-kind.ts'
import { customCell } from './custom-cell.ts'
import { parseJsonPath } from './json-path.ts'

const object = {
  metadata: { name: 'x', annotations: { 'a.b/c': 'dotted' } },
  spec: {
    n: null,
    f: 1.5,
    tiny: 0.00001,
    tiny2: 1.5e-7,
    huge: 1e21,
    big: 123456789012345680000,
    neg: -2.5,
    zero: 0,
    fl: false,
    t: true,
    s: 'text',
    empty: '',
    eo: {},
    ea: [],
    list: ['a', 'b', 'c'],
    nested: [[1, 2], [3]],
    o: { k2: '<&>\u2028', k: 'v' },
    objs: [
      { name: 'a', v: 1, f: 1.5, on: true },
      { name: 'b', v: 2, s: '2' },
      { name: 'c', v: null },
      { other: 1 },
    ],
    numbers: [
      { name: 'one', value: 1 },
      { name: 'ten', value: 10 },
    ],
    strs: ['x', 'y'],
    date: '2020-01-02T03:04:05Z',
    date2: '2020-01-02',
    datef: '2020-01-02T03:04:05.5+02:00',
    future: '2099-01-01T00:00:00Z',
    m: { b: 2, a: 1 },
  },
}
const now = Date.parse('2026-11-15T22:30:00Z')
const cell = (path: string, type: Column['type'] = 'string'): unknown =>
  customCell(object, path, type, now)

/** Cells of a real kube-apiserver for the same object. */
describe('customCell', () => {
  it.each([
    ['.metadata.name', 'x'],
    ['.spec.f', '1.5'],
    ['.spec.tiny', '1e-05'],
    ['.spec.tiny2', '1.5e-07'],
    ['.spec.huge', '1e+21'],
    ['.spec.big', '1.2345678901234568e+20'],
    ['.spec.neg', '-2.5'],
    ['.spec.zero', '0'],
    ['.spec.fl', 'false'],
    ['.spec.t', 'true'],
    ['.spec.empty', ''],
    ['.spec.eo', '{}'],
    ['.spec.ea', '[]'],
    ['.spec.o', '{"k":"v","k2":"\\u003c\\u0026\\u003e\\u2028"}'],
    ['.spec.list', '["a","b","c"]'],
    ['.spec.n', '<no value>'],
    ['.spec.objs[2].v', '<no value>'],
  ])('prints %s', (path, text) => {
    expect(cell(path)).toBe(text)
  })

  it.each([
    ['.spec.list[1]', 'b'],
    ['.spec.list[-2]', 'b'],
    ['.spec.list[5]', null],
    ['.spec.list[-5]', null],
    ['.spec.list[0:2]', 'a'],
    ['.spec.list[:2]', 'a'],
    ['.spec.list[1:]', 'b'],
    ['.spec.list[-1:]', 'c'],
    ['.spec.list[::2]', 'a'],
    ['.spec.list[0,2]', 'a'],
    ['.spec.list.x', null],
    ['.spec.s.x', null],
    ['.spec.s[0]', null],
    ["['spec'].s", 'text'],
    [".spec['s']", 'text'],
    [".spec['o']['k']", 'v'],
    [".spec['o'].k", 'v'],
    [".spec['s','f']", 'text'],
    ['.spec.m.*', '1'],
    ['.spec.nested[0][1]', '2'],
    ['.spec.nested[1]', '[3]'],
    ['.spec.nested[*]', '[1,2]'],
    ['.metadata.annotations.a\\.b/c', 'dotted'],
    [".metadata.annotations['a\\.b/c']", 'dotted'],
    [".metadata.annotations['a.b/c']", null],
    ['.', null],
    ['.spec.', null],
    ['.spec[]', null],
    ['.spec.s text', null],
    ['.spec.o-x', null],
    ['.spec.missing.deeper', null],
  ])('follows %s', (path, text) => {
    expect(cell(path)).toBe(text)
  })

  it.each([
    ['.spec.objs[?(@.name=="b")].v', '2'],
    [".spec.objs[?(@.name=='b')].v", '2'],
    ['.spec.objs[?( @.name == "b" )].v', '2'],
    ['.spec.objs[?(@.f==1.5)].name', 'a'],
    ['.spec.objs[?(@.s=="2")].name', 'b'],
    ['.spec.objs[?(@.on==true)].name', 'a'],
    ['.spec.objs[?(@.on)].name', 'a'],
    ['.spec.objs[?(@.other)].other', '1'],
    ['.spec.objs[?(@.name>"a")].name', 'b'],
    ['.spec.objs[?(@.name=="zzz")].v', null],
    ['.spec.objs[?("b"==@.name)].v', '2'],
    ['.spec.strs[?(@=="y")]', 'y'],
    ['.spec.objs[*].name', 'a'],
    ['.spec.objs[?(@.name=="a]")].v', null],
    ['.spec.numbers[?(@.value>5)].name', 'ten'],
    ['.spec.numbers[?(@.name!="one")].value', '10'],
    // A value is null or has another type, so the comparison fails.
    ['.spec.objs[?(@.v==2)].name', null],
    ['.spec.objs[?(@.v==2.0)].name', null],
    ['.spec.objs[?(@.v>=1)].name', null],
    ['.spec.objs[?(@.s==2)].name', null],
  ])('filters %s', (path, text) => {
    expect(cell(path)).toBe(text)
  })

  it.each([
    ['integer', '.spec.f', 1],
    ['integer', '.spec.neg', -2],
    ['integer', '.spec.s', null],
    ['integer', '.spec.t', null],
    ['integer', '.spec.n', null],
    ['number', '.spec.zero', 0],
    ['number', '.spec.s', null],
    ['boolean', '.spec.t', true],
    ['boolean', '.spec.s', null],
    ['date', '.spec.date', '6y319d'],
    ['date', '.spec.datef', '6y319d'],
    ['date', '.spec.date2', '<invalid>'],
    ['date', '.spec.future', '<invalid>'],
    ['date', '.spec.empty', '<unknown>'],
    ['date', '.spec.n', null],
    ['date', '.spec.f', null],
  ] as const)('%s %s', (type, path, value) => {
    expect(cell(path, type)).toBe(value)
  })
})

describe('parseJsonPath', () => {
  it.each([
    '.spec["s"]',
    '.spec[',
    '.spec[?(@.name',
    '.spec[abc]',
    '.spec.list[ 1 ]',
    '.a[?(@.name=="a" || @.name=="b")]',
    '$.spec',
    '{.spec}',
  ])('rejects %s', (path) => {
    expect(parseJsonPath(path)).toBeUndefined()
  })

  it('parses or rejects any text, in short time', () => {
    const piece = fc.constantFrom(...'.[]()?@"\'*:,0-\\a= '.split(''))
    const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(text, (path) => {
        const value = customCell(object, path, 'string', now)
        expect(value === null || typeof value === 'string').toBe(true)
      }),
      { numRuns: 3000 },
    )
    const long = `.a[?(${'@.a '.repeat(5000)}`
    expect(parseJsonPath(long)).toBeUndefined()
  })

  it('finds every field by its name', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.nat(), (name, value) => {
        const escaped = name.replaceAll(/[^a-z]/g, String.raw`\$&`)
        expect(parseJsonPath(`.${escaped}`)?.({ [name]: value })).toEqual([value])
      }),
    )
  })
})
