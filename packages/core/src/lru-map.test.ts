import { describe, expect, it } from 'vitest'
import { LruMap } from './lru-map.ts'

describe('LruMap', () => {
  it('creates and keeps missing values', () => {
    const map = new LruMap<{ n: number }>(2)
    map.getOrCreate('a', () => ({ n: 1 })).n = 5
    expect(map.getOrCreate('a', () => ({ n: 1 }))).toEqual({ n: 5 })
  })

  it('evicts the least recently used entry', () => {
    const map = new LruMap<string>(2)
    map.getOrCreate('a', () => 'first a')
    map.getOrCreate('b', () => 'first b')
    map.getOrCreate('a', () => 'second a')
    map.getOrCreate('c', () => 'first c')
    expect(map.size).toBe(2)
    expect(map.getOrCreate('a', () => 'third a')).toBe('first a')
    expect(map.getOrCreate('b', () => 'second b')).toBe('second b')
  })
})
