import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Mirror, Registry } from '../../../planner/actions/registries.ts'
import { keepMirrors } from './keep-mirrors.ts'

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

describe('current mirrors of nodes', () => {
  it('keep their position with the current settings, and new ones are appended', () => {
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

  it('get the desired order if none is removed', () => {
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
  it('are never lost, and keeping them is idempotent', () => {
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
