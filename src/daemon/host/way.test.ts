import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HostFailure } from './host-failure.ts'
import type { Signpost } from './way.ts'
import { wayTo } from './way.ts'

const signs: Readonly<Record<string, Signpost>> = {
  '/a': { type: 'directory' },
  '/a/up': { type: 'symlink', target: '../../..', uid: 0 },
  '/a/down': { type: 'symlink', target: '/a/../b', uid: 0 },
  '/b': { type: 'directory' },
}
const at = (place: string): Signpost => signs[place]

describe('wayTo', () => {
  it('tells where a path leads, and what decides about it', () => {
    expect(wayTo('/a/x', at)).toEqual({ place: '/a/x', passed: ['/a', '/a/x'] })
    expect(wayTo('/a/down/x', at)).toEqual({
      place: '/b/x',
      passed: ['/a', '/a/down', '/a', '/b', '/b/x'],
    })
    expect(wayTo('/a/up/x', at)).toEqual({ place: '/x', passed: ['/a', '/a/up', '/x'] })
  })

  it('ends where nothing is', () => {
    expect(wayTo('/no/such/thing', at)).toEqual({ passed: ['/no'] })
  })

  it('never leaves the root, whatever the links say', () => {
    const part = fc.constantFrom('..', '.', 'a', '', '/', '...')
    const target = fc.array(part, { maxLength: 8 }).map((parts) => parts.join('/'))
    fc.assert(
      fc.property(fc.array(target, { minLength: 1, maxLength: 4 }), (targets) => {
        let asked = 0
        const anywhere = (): Signpost => {
          const target = targets[asked++ % targets.length]!
          return asked % 3 === 0 ? { type: 'directory' } : { type: 'symlink', target, uid: 0 }
        }
        try {
          const { place, passed } = wayTo('/x/y/z', anywhere)
          const places = place === undefined ? passed : [...passed, place]
          expect(places.every((each) => /^(\/(?!\.\.?(\/|$))[^/]+)+$/.test(each))).toBe(true)
        } catch (error) {
          if (!(error instanceof HostFailure)) throw error
        }
      }),
      { numRuns: 500 },
    )
  })
})
