import { describe, expect, it } from 'vitest'
import { seededRandom } from '@machinist/core/random'
import { newUid } from './object-uid.ts'

describe('newUid', () => {
  it('makes different version 4 UUIDs', () => {
    const random = seededRandom(7)
    const uids = Array.from({ length: 200 }, () => newUid(random))
    expect(new Set(uids).size).toBe(200)
    for (const uid of uids) {
      expect(uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }
  })

  it('is deterministic with a seed', () => {
    expect(newUid(seededRandom(3))).toBe(newUid(seededRandom(3)))
  })
})
