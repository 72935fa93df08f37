import { describe, expect, it } from 'vitest'
import { requeueAfter, settled } from './outcome.ts'

describe('outcomes', () => {
  it('are settled or a requeue', () => {
    expect(settled).toEqual({ type: 'settled' })
    expect(requeueAfter(5000)).toEqual({ type: 'requeue', afterMs: 5000 })
    expect(requeueAfter(0)).toEqual({ type: 'requeue', afterMs: 0 })
  })

  it.each([-1, Number.NaN, Infinity])('reject a requeue after %s ms', (ms) => {
    expect(() => requeueAfter(ms)).toThrow(`cannot requeue after ${ms} ms`)
  })
})
