import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Dependent, OwnerState } from './garbage-decision.ts'
import { decideGarbage } from './garbage-decision.ts'

const dependent = (states: readonly OwnerState[], more: Partial<Dependent> = {}): Dependent => ({
  owners: states.map((state, i) => ({ uid: `${state}-${i}`, state })),
  finalizers: [],
  hasDependents: false,
  inCircle: false,
  ...more,
})

describe('garbage', () => {
  it('is not what has all its owners', () => {
    expect(decideGarbage(dependent([]))).toEqual({ act: 'keep' })
    expect(decideGarbage(dependent(['solid', 'solid']))).toEqual({ act: 'keep' })
  })

  it('is not what has one owner left: the others are forgotten', () => {
    expect(decideGarbage(dependent(['absent', 'solid', 'waiting']))).toEqual({
      act: 'disown',
      owners: ['absent-0', 'waiting-2'],
    })
  })

  it('goes with the last of its owners', () => {
    expect(decideGarbage(dependent(['absent']))).toEqual({
      act: 'delete',
      propagation: 'Background',
    })
  })

  it('takes its own dependents along first when somebody waits for it', () => {
    const mother = { hasDependents: true }
    expect(decideGarbage(dependent(['waiting'], mother))).toEqual({
      act: 'delete',
      propagation: 'Foreground',
    })
    expect(decideGarbage(dependent(['absent'], mother))).toMatchObject({
      propagation: 'Background',
    })
    expect(decideGarbage(dependent(['waiting'], { ...mother, inCircle: true }))).toMatchObject({
      propagation: 'Background',
    })
  })

  it('leaves its own dependents alone where that was asked for', () => {
    expect(decideGarbage(dependent(['absent'], { finalizers: ['orphan'] }))).toEqual({
      act: 'delete',
      propagation: 'Orphan',
    })
    expect(decideGarbage(dependent(['absent'], { finalizers: ['foregroundDeletion'] }))).toEqual({
      act: 'delete',
      propagation: 'Foreground',
    })
  })

  it('is never deleted while an owner stays, and never kept when none does', () => {
    const states = fc.array(fc.constantFrom<OwnerState>('absent', 'waiting', 'solid'))
    fc.assert(
      fc.property(states, fc.boolean(), fc.boolean(), (all, hasDependents, inCircle) => {
        const { act } = decideGarbage(dependent(all, { hasDependents, inCircle }))
        const staying = all.filter((state) => state === 'solid').length
        const expected = staying === all.length ? 'keep' : staying > 0 ? 'disown' : 'delete'
        expect(act).toBe(expected)
      }),
      { numRuns: 200 },
    )
  })
})
