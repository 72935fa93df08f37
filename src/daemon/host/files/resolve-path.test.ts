import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HostFailure } from '../host-failure.ts'
import type { PathNode } from './resolve-path.ts'
import { resolvePath } from './resolve-path.ts'

const signs: Readonly<Record<string, PathNode>> = {
  '/a': { type: 'directory' },
  '/a/up': { type: 'symlink', target: '../../..', uid: 0 },
  '/a/down': { type: 'symlink', target: '/a/../b', uid: 0 },
  '/b': { type: 'directory' },
}
const at = (place: string): PathNode => signs[place]

describe('resolvePath', () => {
  it('returns the resolved path, and every path that it depends on', () => {
    expect(resolvePath('/a/x', at)).toEqual({ resolvedPath: '/a/x', passed: ['/a', '/a/x'] })
    expect(resolvePath('/a/down/x', at)).toEqual({
      resolvedPath: '/b/x',
      passed: ['/a', '/a/down', '/a', '/b', '/b/x'],
    })
    expect(resolvePath('/a/up/x', at)).toEqual({
      resolvedPath: '/x',
      passed: ['/a', '/a/up', '/x'],
    })
  })

  it('stops at a missing path', () => {
    expect(resolvePath('/no/such/thing', at)).toEqual({ passed: ['/no'] })
  })

  it('never leaves the root, whatever the links are', () => {
    const part = fc.constantFrom('..', '.', 'a', '', '/', '...')
    const target = fc.array(part, { maxLength: 8 }).map((parts) => parts.join('/'))
    fc.assert(
      fc.property(fc.array(target, { minLength: 1, maxLength: 4 }), (targets) => {
        let calls = 0
        const anywhere = (): PathNode => {
          const target = targets[calls++ % targets.length]!
          return calls % 3 === 0 ? { type: 'directory' } : { type: 'symlink', target, uid: 0 }
        }
        try {
          const { resolvedPath, passed } = resolvePath('/x/y/z', anywhere)
          const all = resolvedPath === undefined ? passed : [...passed, resolvedPath]
          expect(all.every((each) => /^(\/(?!\.\.?(\/|$))[^/]+)+$/.test(each))).toBe(true)
        } catch (error) {
          if (!(error instanceof HostFailure)) throw error
        }
      }),
      { numRuns: 500 },
    )
  })
})
