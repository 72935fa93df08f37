import { describe, expect, it } from 'vitest'
import { requeueAfter, settled } from './outcome.ts'

describe('outcomes', () => {
  it('say what comes next', () => {
    expect(settled).toEqual({ type: 'settled' })
    expect(requeueAfter(5000)).toEqual({ type: 'requeue', afterMs: 5000 })
    expect(requeueAfter(0)).toEqual({ type: 'requeue', afterMs: 0 })
  })

  it.each([-1, Number.NaN, Infinity])('refuse to look again after %s ms', (ms) => {
    expect(() => requeueAfter(ms)).toThrow(`cannot requeue after ${ms} ms`)
  })
})
