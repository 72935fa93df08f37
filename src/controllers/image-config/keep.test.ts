import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Mirror, Registry } from '../../planner/registries.ts'
import { keepMirrors, lostSignatures } from './keep.ts'
import { readPolicy } from './policy-json.ts'

const mirror = (location: string, pull = 'digest-only', insecure = false): Mirror => ({
  location,
  insecure,
  pull,
})
const entry = (location: string, mirrors: Mirror[], blocked = false): Registry => ({
  prefix: '',
  location,
  insecure: false,
  blocked,
  byDigestOnly: false,
  mirrors,
})
const never = (): boolean => false

describe('mirrors that nodes have', () => {
  it('stay where they are, with what holds now, and new ones come behind', () => {
    const now = [
      entry('e.io', [mirror('m5')]),
      entry('b.io', []),
      entry('a.io', [mirror('m0'), mirror('m2')]),
    ]
    const before = [
      entry('a.io', [mirror('m1'), mirror('m2')], true),
      entry('c.io', [mirror('m3', 'tag-only', true)]),
      entry('d.io', [], true),
    ]
    expect(keepMirrors(now, before, (scope) => scope === 'c.io' || scope === 'm1')).toEqual([
      entry('a.io', [mirror('m1', 'digest-only', true), mirror('m2'), mirror('m0')], true),
      { ...entry('c.io', [mirror('m3', 'tag-only')]), insecure: true },
      entry('e.io', [mirror('m5')]),
      entry('b.io', []),
    ])
  })

  it('that nobody takes away have the order that is wanted', () => {
    const now = [entry('a.io', [mirror('m2'), mirror('m1')])]
    expect(keepMirrors(now, [entry('a.io', [mirror('m1'), mirror('m2')])], never)).toEqual(now)
    expect(keepMirrors(now, [], never)).toEqual(now)
  })

  const mirrors = fc.uniqueArray(
    fc.record({
      location: fc.constantFrom('m1', 'm2', 'm3'),
      insecure: fc.boolean(),
      pull: fc.constantFrom('digest-only', 'tag-only'),
    }),
    { selector: ({ location, pull }) => location + pull },
  )
  const entries = fc.uniqueArray(
    fc.record({
      prefix: fc.constant(''),
      location: fc.constantFrom('a', 'b', 'c', 'd'),
      insecure: fc.boolean(),
      blocked: fc.boolean(),
      byDigestOnly: fc.constant(false),
      mirrors,
    }),
    { selector: ({ location }) => location },
  )
  it('are never lost, and keeping them once more changes nothing', () => {
    fc.assert(
      fc.property(entries, entries, (now, before) => {
        const kept = keepMirrors(now, before, never)
        const have = (list: readonly Registry[]): string[] =>
          list.flatMap((one) =>
            one.mirrors.map(({ location, pull }) => `${one.location} ${location} ${pull}`),
          )
        expect(new Set(have(kept))).toEqual(new Set([...have(now), ...have(before)]))
        expect(have(kept)).toHaveLength(new Set(have(kept)).size)
        expect(keepMirrors(now, kept, never)).toEqual(kept)
        for (const old of before) {
          const { blocked } = kept.find(({ location }) => location === old.location) ?? old
          expect(old.mirrors.length > 0 && old.blocked && !blocked).toBe(false)
        }
      }),
    )
  })
})

describe('signatures that nodes ask for', () => {
  const policy = (docker: object, rest = 'insecureAcceptAnything') =>
    readPolicy(JSON.stringify({ default: [{ type: rest }], transports: { docker } }))
  const signed = { type: 'sigstoreSigned', keyData: 'eA==' }
  const before = policy({
    'a.io/x': [{ type: 'insecureAcceptAnything' }, signed],
    'b.io': [{ type: 'reject' }],
  })
  it.each([
    ['nothing is asked', policy({}), ['a.io/x']],
    [
      'nothing is asked of the registry',
      policy({ 'a.io': [{ type: 'insecureAcceptAnything' }] }),
      ['a.io/x'],
    ],
    ['all is asked of another', policy({ 'a.io/x/y': [signed] }), ['a.io/x']],
    ['it is asked as before', policy({ 'a.io/x': [signed] }), []],
    ['it is asked of the registry', policy({ 'a.io': [signed] }), []],
    ['it is blocked', policy({ 'a.io': [{ type: 'reject' }] }), []],
    [
      'nothing else is allowed',
      policy({ 'c.io': [{ type: 'insecureAcceptAnything' }] }, 'reject'),
      [],
    ],
  ])('where %s', (_, now, lost) => {
    expect([...lostSignatures(now, before).keys()]).toEqual(lost)
  })
})
