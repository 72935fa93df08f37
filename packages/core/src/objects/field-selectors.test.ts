import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidInput } from '../errors.ts'
import type { FieldSelector } from './field-selectors.ts'
import { formatFieldSelector, matchesFields, parseFieldSelector } from './field-selectors.ts'

describe('a field selector', () => {
  it.each<[string, FieldSelector]>([
    ['', []],
    ['metadata.name=a', [{ path: 'metadata.name', equal: true, value: 'a' }]],
    ['metadata.name==a', [{ path: 'metadata.name', equal: true, value: 'a' }]],
    [
      'spec.nodeName=n1,status.phase!=Succeeded,status.phase!=Failed',
      [
        { path: 'spec.nodeName', equal: true, value: 'n1' },
        { path: 'status.phase', equal: false, value: 'Succeeded' },
        { path: 'status.phase', equal: false, value: 'Failed' },
      ],
    ],
    ['spec.nodeName=', [{ path: 'spec.nodeName', equal: true, value: '' }]],
    ['a=x\\,y\\=z\\\\', [{ path: 'a', equal: true, value: 'x,y=z\\' }]],
    ['a=b,', [{ path: 'a', equal: true, value: 'b' }]],
    [' a = b', [{ path: ' a ', equal: true, value: ' b' }]],
    ['!=,a=b,=', [{ path: 'a', equal: true, value: 'b' }]],
    ['!=b', [{ path: '', equal: false, value: 'b' }]],
  ])('parses %j', (text, selector) => {
    expect(parseFieldSelector(text)).toEqual(selector)
  })

  // The messages of kube-apiserver.
  it.each([
    ['a', "invalid selector: 'a'; can't understand 'a'"],
    ['a=b,c>d', "invalid selector: 'a=b,c>d'; can't understand 'c>d'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=\\x', 'invalid field selector: invalid escape sequence: \\x'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
  ])('rejects %j', (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(new InvalidInput(message))
  })

  it('compares strings; an unset field is empty', () => {
    const fields: Record<string, string> = { 'metadata.name': 'a', 'status.phase': 'Running' }
    const matches = (text: string): boolean =>
      matchesFields(parseFieldSelector(text), (path) => fields[path])
    expect(
      ['', 'metadata.name=a', 'metadata.name=b', 'metadata.name=a,status.phase!=Running'].map(
        matches,
      ),
    ).toEqual([true, true, false, false])
    expect(['spec.nodeName=', 'spec.nodeName!=', 'spec.nodeName!=n1'].map(matches)).toEqual([
      true,
      false,
      true,
    ])
  })

  it('survives a round trip', () => {
    const term = fc.record({
      path: fc.constantFrom('metadata.name', 'spec.nodeName', 'involvedObject.uid'),
      equal: fc.boolean(),
      // `a==b` is "a equals b", so a value cannot begin with a bare `=`; escaped it can.
      value: fc.oneof(fc.string(), fc.constantFrom('=', ',', '\\', '=,\\', ' a ')),
    })
    fc.assert(
      fc.property(fc.array(term, { maxLength: 4 }), (selector) => {
        expect(parseFieldSelector(formatFieldSelector(selector))).toEqual(selector)
      }),
      { numRuns: 1000 },
    )
  })

  it('is parsed or InvalidInput, for any text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', '=', '!', ',', '\\', ' ', '.'), { maxLength: 12 }),
        (list) => {
          const outcome = attempt(() => parseFieldSelector(list.join('')))
          expect(Array.isArray(outcome) || outcome instanceof InvalidInput).toBe(true)
        },
      ),
      { numRuns: 1000 },
    )
  })
})

function attempt(act: () => unknown): unknown {
  try {
    return act()
  } catch (error) {
    return error
  }
}
