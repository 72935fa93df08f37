import { describe, expect, it } from 'vitest'
import { RecentMap } from './recent-map.ts'

describe('RecentMap', () => {
  it('makes what is not there, and keeps it', () => {
    const map = new RecentMap<{ n: number }>(2)
    map.use('a', () => ({ n: 1 })).n = 5
    expect(map.use('a', () => ({ n: 1 }))).toEqual({ n: 5 })
  })

  it('forgets what was not used for longest', () => {
    const map = new RecentMap<string>(2)
    map.use('a', () => 'first a')
    map.use('b', () => 'first b')
    map.use('a', () => 'second a')
    map.use('c', () => 'first c')
    expect(map.size).toBe(2)
    expect(map.use('a', () => 'third a')).toBe('first a')
    expect(map.use('b', () => 'second b')).toBe('second b')
  })
})
