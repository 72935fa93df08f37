import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DefinedNames } from './accepted-names.ts'
import { acceptedNames, noNames } from './accepted-names.ts'

const foo: DefinedNames = {
  plural: 'foos',
  singular: 'foo',
  shortNames: ['fo'],
  kind: 'Foo',
  listKind: 'FooList',
}

const named = (plural: string, more: Partial<DefinedNames> = {}): DefinedNames => ({
  plural,
  singular: plural.slice(0, -1),
  kind: plural.toUpperCase(),
  listKind: `${plural.toUpperCase()}List`,
  ...more,
})

describe('the names of a CRD', () => {
  it('are accepted if no other CRD has them', () => {
    const requested = { ...foo, categories: ['all'] }
    expect(acceptedNames(requested, noNames, [])).toEqual({ names: requested })
    expect(acceptedNames(named('bars'), noNames, [foo])).toEqual({ names: named('bars') })
  })

  it.for([
    ['plural', named('fo', { singular: 'f' }), 'PluralConflict', '"fo" is already in use'],
    ['singular', named('bars', { singular: 'foo' }), 'SingularConflict', '"foo" is already in use'],
    ['kind', named('bars', { kind: 'Foo' }), 'KindConflict', '"Foo" is already in use'],
    [
      'listKind',
      named('bars', { listKind: 'FooList' }),
      'ListKindConflict',
      '"FooList" is already in use',
    ],
    [
      'shortNames',
      named('bars', { shortNames: ['fo', 'br', 'foos'] }),
      'ShortNamesConflict',
      '["fo" is already in use, "foos" is already in use]',
    ],
    [
      'shortNames',
      named('bars', { shortNames: ['fo', 'br'] }),
      'ShortNamesConflict',
      '"fo" is already in use',
    ],
  ] as const)('exclude a %s of another CRD', ([field, requested, reason, message]) => {
    const { names, conflict } = acceptedNames(requested, noNames, [foo])
    expect(conflict).toEqual({ reason, message })
    const { [field]: _, ...rest } = requested
    expect(names).toEqual({
      ...(field === 'plural' || field === 'kind' ? { [field]: '' } : {}),
      ...rest,
    })
  })

  it('report only the last conflict', () => {
    const requested = { ...foo, plural: 'alls' }
    expect(acceptedNames(requested, noNames, [foo])).toEqual({
      names: { plural: 'alls', kind: '' },
      conflict: { reason: 'ListKindConflict', message: '"FooList" is already in use' },
    })
  })

  it('stay as they are while the new ones are taken', () => {
    const had = named('bars', { shortNames: ['br'] })
    const requested = { ...had, shortNames: ['br', 'fo'] }
    expect(acceptedNames(requested, had, [foo]).names).toEqual(had)
    expect(acceptedNames(requested, had, []).names).toEqual(requested)
  })

  it('of two CRDs never overlap', () => {
    const word = fc.constantFrom('a', 'b', 'c', 'd', 'e')
    const names = fc.record({
      plural: word,
      singular: word,
      kind: word,
      listKind: word,
      shortNames: fc.uniqueArray(word, { maxLength: 2 }),
    })
    const resources = ({ plural, singular = '', shortNames = [] }: DefinedNames): string[] => [
      plural,
      singular,
      ...shortNames,
    ]
    fc.assert(
      fc.property(fc.array(names, { minLength: 2, maxLength: 4 }), (all) => {
        const given: DefinedNames[] = []
        for (const requested of all) given.push(acceptedNames(requested, noNames, given).names)
        given.forEach((one, i) => {
          const theirs = new Set(given.flatMap((other, j) => (j === i ? [] : resources(other))))
          const taken = resources(one).filter((name) => name !== '' && theirs.has(name))
          expect(taken).toEqual([])
        })
      }),
      { numRuns: 200 },
    )
  })
})
