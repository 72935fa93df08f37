import { describe, expect, it } from 'vitest'
import { settleTimes } from './settle-times.ts'

const minute = 60_000

describe('how long programs may take to load what was written for them', () => {
  it('is 2 minutes for kubelets and 10 minutes for holders of leaf certificates by default', () => {
    expect(settleTimes({})).toEqual({ nodeMs: 2 * minute, leafMs: 10 * minute })
  })

  it('is what each field says', () => {
    expect(settleTimes({ nodeSettle: '30s', leafSettle: '1m' })).toEqual({
      nodeMs: minute / 2,
      leafMs: minute,
    })
  })

  it('is what settle says for fields that are not set, for leaf certificates only if that is longer', () => {
    expect(settleTimes({ settle: '2m' })).toEqual({ nodeMs: 2 * minute, leafMs: 10 * minute })
    expect(settleTimes({ settle: '15m' })).toEqual({ nodeMs: 15 * minute, leafMs: 15 * minute })
    expect(settleTimes({ settle: '3m', nodeSettle: '1m', leafSettle: '6m' })).toEqual({
      nodeMs: minute,
      leafMs: 6 * minute,
    })
  })

  it('is the default where a duration cannot be read', () => {
    expect(settleTimes({ settle: 'soon', nodeSettle: '', leafSettle: 'x' })).toEqual({
      nodeMs: 2 * minute,
      leafMs: 10 * minute,
    })
  })
})
