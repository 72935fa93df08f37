import { describe, expect, it } from 'vitest'
import { lookAgainAfter, settled } from './outcome.ts'

describe('outcomes', () => {
  it('say what comes next', () => {
    expect(settled).toEqual({ type: 'settled' })
    expect(lookAgainAfter(5000)).toEqual({ type: 'look-again', afterMs: 5000 })
    expect(lookAgainAfter(0)).toEqual({ type: 'look-again', afterMs: 0 })
  })

  it.each([-1, Number.NaN, Infinity])('refuse to look again after %s ms', (ms) => {
    expect(() => lookAgainAfter(ms)).toThrow(`cannot look again after ${ms} ms`)
  })
})
