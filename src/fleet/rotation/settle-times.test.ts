import { describe, expect, it } from 'vitest'
import { settleTimes, userDataSettleMs } from './settle-times.ts'

const minute = 60_000

describe('the settle time', () => {
  it('is 2 minutes for kubelets and 10 minutes for holders of leaf certificates by default', () => {
    expect(settleTimes({})).toEqual({ nodeMs: 2 * minute, leafMs: 10 * minute })
  })

  it('is the value of each field', () => {
    expect(settleTimes({ nodeSettle: '30s', leafSettle: '1m' })).toEqual({
      nodeMs: minute / 2,
      leafMs: minute,
    })
  })

  it('is settle for fields that are not set; for leaf certificates only if settle is longer than the default', () => {
    expect(settleTimes({ settle: '2m' })).toEqual({ nodeMs: 2 * minute, leafMs: 10 * minute })
    expect(settleTimes({ settle: '15m' })).toEqual({ nodeMs: 15 * minute, leafMs: 15 * minute })
    expect(settleTimes({ settle: '3m', nodeSettle: '1m', leafSettle: '6m' })).toEqual({
      nodeMs: minute,
      leafMs: 6 * minute,
    })
  })

  it('is the default if a duration is invalid', () => {
    expect(settleTimes({ settle: 'soon', nodeSettle: '', leafSettle: 'x' })).toEqual({
      nodeMs: 2 * minute,
      leafMs: 10 * minute,
    })
  })
})

it('machines may start with older user data for a week by default', () => {
  const place = { namespace: 'a', name: 'b' }
  expect(userDataSettleMs({ userData: place })).toBe(7 * 24 * 60 * minute)
  expect(userDataSettleMs({ userData: { ...place, settle: '1h' } })).toBe(60 * minute)
  expect(userDataSettleMs({ userData: { ...place, settle: 'x' } })).toBe(7 * 24 * 60 * minute)
  expect(userDataSettleMs({})).toBe(undefined)
})
