import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isWithin, scopesOf } from './scope.ts'

describe('scopes', () => {
  it('of a key are the key and all its prefixes', () => {
    expect([...scopesOf('/pods/default/a')]).toEqual([
      '/pods/default/a',
      '/pods/default/',
      '/pods/',
      '/',
    ])
    expect([...scopesOf('a/b')]).toEqual(['a/b', 'a/'])
    expect([...scopesOf('a')]).toEqual(['a'])
  })

  it('of one key contain only that key', () => {
    expect(isWithin('/pods/default/a', '/pods/default/a')).toBe(true)
    expect(isWithin('/pods/default/a', '/pods/default/ab')).toBe(false)
    expect(isWithin('/pods/default/', '/pods/default/ab')).toBe(true)
    expect(isWithin('/pods/default/', '/pods/default-2/ab')).toBe(false)
  })

  it('of a key are those that contain it', () => {
    const part = fc.constantFrom('a', 'b', 'ab')
    const key = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join('/')}`)
    const scope = fc.oneof(
      key,
      key.map((text) => `${text}/`),
    )
    fc.assert(
      fc.property(scope, key, (scope, key) => {
        expect([...scopesOf(key)].includes(scope)).toBe(isWithin(scope, key))
      }),
    )
  })
})
