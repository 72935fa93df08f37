import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidInput } from '../errors.ts'
import { parseLabelSelector } from './label-selector-text.ts'
import type { LabelSelector, Requirement } from './selectors.ts'
import {
  everything,
  formatLabelSelector,
  matchesLabels,
  nothing,
  selectorFromSpec,
} from './selectors.ts'

const matches = (text: string, labels: Record<string, string>): boolean =>
  matchesLabels(parseLabelSelector(text), labels)

describe('a label selector as text', () => {
  it.each<[string, LabelSelector]>([
    ['', []],
    ['  ', []],
    ['a', [{ key: 'a', operator: 'exists' }]],
    ['!a', [{ key: 'a', operator: 'absent' }]],
    ['a=b', [{ key: 'a', operator: 'in', values: ['b'] }]],
    ['a == b', [{ key: 'a', operator: 'in', values: ['b'] }]],
    ['a=', [{ key: 'a', operator: 'in', values: [''] }]],
    ['a != b', [{ key: 'a', operator: 'notin', values: ['b'] }]],
    ['a in (y, x ,y)', [{ key: 'a', operator: 'in', values: ['x', 'y'] }]],
    ['a in ()', [{ key: 'a', operator: 'in', values: [''] }]],
    ['a in (x,,y)', [{ key: 'a', operator: 'in', values: ['', 'x', 'y'] }]],
    ['a notin(x,)', [{ key: 'a', operator: 'notin', values: ['', 'x'] }]],
    ['in in (in)', [{ key: 'in', operator: 'in', values: ['in'] }]],
    ['a>5', [{ key: 'a', operator: 'above', limit: 5 }]],
    ['a < -5', [{ key: 'a', operator: 'below', limit: -5 }]],
    [
      'node-role.kubernetes.io/worker,zone in (a,b),!x',
      [
        { key: 'node-role.kubernetes.io/worker', operator: 'exists' },
        { key: 'zone', operator: 'in', values: ['a', 'b'] },
        { key: 'x', operator: 'absent' },
      ],
    ],
  ])('%j', (text, selector) => {
    expect(parseLabelSelector(text)).toEqual(selector)
  })

  it.each(
    `,|a,|,a|a b|a=b=c|a in|a in x|a in (x|a in (x))|(a)|a in ((x))|a=b c|!a=b|=b|!|!!a|a>b|a>1.5|a>|a in (x) b
-a|a/b/c|/a|a/|UPPER.example.com/a|a=-b|a=b/c|${'a'.repeat(64)}|a=${'b'.repeat(64)}`.split(/[|\n]/),
  )('rejects %j', (text) => {
    expect(() => parseLabelSelector(text)).toThrow(InvalidInput)
  })

  // The messages of kube-apiserver, except those about keys and values.
  it.each([
    ['a===', "unable to parse requirement: found '=', expected: identifier"],
    [',a', "found ',', expected: !, identifier, or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a=b=c', "found '=', expected: ',' or 'end of string'"],
    ['a in x', "unable to parse requirement: found 'x' expected: '('"],
    ['a in (x', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in (x y)', "unable to parse requirement: found 'y', expected: ',' or ')'"],
    ['a in ((x))', "unable to parse requirement: found '(', expected: ',', ')' or identifier"],
    ['a in (x,=)', "unable to parse requirement: found '=', expected: ',', or identifier"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['a=!b', "unable to parse requirement: found '!', expected: identifier"],
    ['a<>b', "unable to parse requirement: found '>', expected: identifier"],
    [
      'a>1.5',
      `unable to parse requirement: values[0]: Invalid value: "1.5": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    ['a/b/c', 'unable to parse requirement: "a/b/c" is not a label key'],
  ])('reports the problem of %j', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(new InvalidInput(message))
  })

  it('uses the messages of the caller for keys and values', () => {
    const names = { key: () => undefined, values: (key: string) => `no values for ${key}` }
    expect(parseLabelSelector('-a', names)).toEqual([{ key: '-a', operator: 'exists' }])
    expect(() => parseLabelSelector('a>1', names)).toThrow('no values for a')
  })
})

describe('matching', () => {
  it.each<[string, Record<string, string>, boolean]>([
    ['', {}, true],
    ['a', { a: '' }, true],
    ['a', {}, false],
    ['!a', {}, true],
    ['!a', { a: '' }, false],
    ['a=b', { a: 'b', c: 'd' }, true],
    ['a=b', { a: 'c' }, false],
    ['a=b', {}, false],
    ['a=', { a: '' }, true],
    ['a!=b', { a: 'c' }, true],
    ['a!=b', {}, true],
    ['a!=b', { a: 'b' }, false],
    ['a notin (b,c)', {}, true],
    ['a notin (b,c)', { a: 'c' }, false],
    ['a in (b,c)', { a: 'c' }, true],
    ['a in (b,c)', {}, false],
    ['a>5', { a: '6' }, true],
    ['a>5', { a: '5' }, false],
    ['a>5', { a: 'x' }, false],
    ['a<5', {}, false],
    ['a<5', { a: '-1' }, true],
    ['a=b,c', { a: 'b' }, false],
    ['toString', {}, false],
    ['constructor!=x', {}, true],
  ])('%j on %j: %j', (text, labels, result) => {
    expect(matches(text, labels)).toBe(result)
  })

  it('treats absent labels as empty', () => {
    expect(matchesLabels(everything, undefined)).toBe(true)
    expect(matchesLabels(parseLabelSelector('a'), undefined)).toBe(false)
    expect(matchesLabels(nothing, { none: '' })).toBe(false)
  })
})

describe('a label selector in a spec', () => {
  it('is equal to its text form', () => {
    const selector = selectorFromSpec(
      {
        matchLabels: { a: 'b' },
        matchExpressions: [
          { key: 'c', operator: 'In', values: ['y', 'x'] },
          { key: 'd', operator: 'NotIn', values: ['z'] },
          { key: 'e', operator: 'Exists' },
          { key: 'f', operator: 'DoesNotExist', values: [] },
        ],
      },
      nothing,
    )
    expect(selector).toEqual(parseLabelSelector('a=b,c in (x,y),d!=z,e,!f'))
  })

  it('matches everything if empty; the caller decides for an absent one', () => {
    expect(selectorFromSpec({}, nothing)).toEqual([])
    for (const absent of [null, undefined]) {
      expect(matchesLabels(selectorFromSpec(absent, nothing), { a: 'b' })).toBe(false)
      expect(matchesLabels(selectorFromSpec(absent, everything), { a: 'b' })).toBe(true)
    }
  })

  it.each([
    [{ key: 'a', operator: 'In' }, 'a: In and NotIn need at least one value'],
    [{ key: 'a', operator: 'NotIn', values: [] }, 'a: In and NotIn need at least one value'],
    [{ key: 'a', operator: 'Exists', values: ['x'] }, 'a: Exists takes no values'],
    [
      { key: 'a', operator: 'in', values: ['x'] },
      'a: in is not one of In, NotIn, Exists, DoesNotExist',
    ],
    [{ key: '', operator: 'Exists' }, '"" is not a label key'],
  ])('rejects %j', (expression, message) => {
    expect(() => selectorFromSpec({ matchExpressions: [expression] }, nothing)).toThrow(message)
  })
})

describe('any selector', () => {
  const key = fc.constantFrom('a', 'b', 'in', 'notin', 'example.com/a', '0')
  const value = fc.constantFrom('', 'x', 'y', 'in', '5', 'a.b_c-d')
  const values = fc.uniqueArray(value, { minLength: 1, maxLength: 4 }).map((list) => list.sort())
  const requirement: fc.Arbitrary<Requirement> = fc.oneof(
    fc.record({ key, operator: fc.constantFrom('in', 'notin'), values }),
    fc.record({ key, operator: fc.constantFrom('exists', 'absent') }),
    fc.record({ key, operator: fc.constantFrom('above', 'below'), limit: fc.integer() }),
  )
  const selector = fc.array(requirement, { maxLength: 4 })
  const labels = fc.dictionary(key, value, { noNullPrototype: true })

  it('survives a round trip', () => {
    fc.assert(
      fc.property(selector, (wanted) => {
        expect(parseLabelSelector(formatLabelSelector(wanted))).toEqual(wanted)
      }),
      { numRuns: 500 },
    )
  })

  it('matches less with more requirements, and opposite operators are complementary', () => {
    fc.assert(
      fc.property(selector, requirement, labels, (wanted, more, on) => {
        const both = matchesLabels(wanted, on) && matchesLabels([more], on)
        expect(matchesLabels([...wanted, more], on)).toBe(both)
      }),
      { numRuns: 500 },
    )
    fc.assert(
      fc.property(key, values, labels, (name, list, on) => {
        const has = (operator: 'in' | 'notin'): boolean =>
          matchesLabels([{ key: name, operator, values: list }], on)
        expect(has('in')).toBe(!has('notin'))
        const is = (operator: 'exists' | 'absent'): boolean =>
          matchesLabels([{ key: name, operator }], on)
        expect(is('exists')).toBe(!is('absent'))
        // a in (x,y) is a=x or a=y; a notin (x,y) is a!=x and a!=y.
        const each = list.map((one) =>
          matchesLabels([{ key: name, operator: 'in', values: [one] }], on),
        )
        expect(has('in')).toBe(each.includes(true))
      }),
      { numRuns: 500 },
    )
  })

  it('is parsed or InvalidInput, for any text', () => {
    const piece = fc.constantFrom(
      'a',
      'b/c',
      '=',
      '==',
      '!=',
      '!',
      ' in ',
      ' notin ',
      '(',
      ')',
      ',',
      '<',
      '>',
      ' ',
      '1',
    )
    const text = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 12 }).map((list) => list.join('')),
    )
    fc.assert(
      fc.property(text, (given) => {
        const outcome = attempt(() => parseLabelSelector(given))
        expect(Array.isArray(outcome) || outcome instanceof InvalidInput).toBe(true)
        // The formatted selector parses to the same selector.
        const again = Array.isArray(outcome)
          ? parseLabelSelector(formatLabelSelector(outcome as LabelSelector))
          : outcome
        expect(again).toEqual(outcome)
      }),
      { numRuns: 2000 },
    )
  })

  it('of hostile length is rejected in linear time', () => {
    for (const text of [
      ' '.repeat(50_000) + 'x y',
      `a in (${'x,'.repeat(20_000)}`,
      '!'.repeat(50_000),
    ]) {
      const outcome = attempt(() => parseLabelSelector(text))
      expect(outcome).toBeInstanceOf(InvalidInput)
      expect((outcome as Error).message.length).toBeLessThan(300)
    }
  })

  it('that matches nothing has no text form', () => {
    expect(() => formatLabelSelector(nothing)).toThrow('matches nothing has no text form')
  })
})

function attempt(act: () => unknown): unknown {
  try {
    return act()
  } catch (error) {
    return error
  }
}
