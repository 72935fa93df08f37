import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Dependent, OwnerState } from './garbage-decision.ts'
import { decideGarbage } from './garbage-decision.ts'

const dependent = (states: readonly OwnerState[], more: Partial<Dependent> = {}): Dependent => ({
  owners: states.map((state, i) => ({ uid: `${state}-${i}`, state })),
  finalizers: [],
  hasDependents: false,
  inCycle: false,
  ...more,
})

describe('garbage collection', () => {
  it('keeps an object with all its owners', () => {
    expect(decideGarbage(dependent([]))).toEqual({ action: 'keep' })
    expect(decideGarbage(dependent(['solid', 'solid']))).toEqual({ action: 'keep' })
  })

  it('keeps an object with a remaining owner, and removes the others', () => {
    expect(decideGarbage(dependent(['absent', 'solid', 'waiting']))).toEqual({
      action: 'disown',
      owners: ['absent-0', 'waiting-2'],
    })
  })

  it('deletes an object with its last owner', () => {
    expect(decideGarbage(dependent(['absent']))).toEqual({
      action: 'delete',
      propagation: 'Background',
    })
  })

  it('deletes dependents first if an owner waits for it', () => {
    const mother = { hasDependents: true }
    expect(decideGarbage(dependent(['waiting'], mother))).toEqual({
      action: 'delete',
      propagation: 'Foreground',
    })
    expect(decideGarbage(dependent(['absent'], mother))).toMatchObject({
      propagation: 'Background',
    })
    expect(decideGarbage(dependent(['waiting'], { ...mother, inCycle: true }))).toMatchObject({
      propagation: 'Background',
    })
  })

  it('orphans dependents if requested', () => {
    expect(decideGarbage(dependent(['absent'], { finalizers: ['orphan'] }))).toEqual({
      action: 'delete',
      propagation: 'Orphan',
    })
    expect(decideGarbage(dependent(['absent'], { finalizers: ['foregroundDeletion'] }))).toEqual({
      action: 'delete',
      propagation: 'Foreground',
    })
  })

  it('never deletes an object with a remaining owner, and never keeps one without', () => {
    const states = fc.array(fc.constantFrom<OwnerState>('absent', 'waiting', 'solid'))
    fc.assert(
      fc.property(states, fc.boolean(), fc.boolean(), (all, hasDependents, inCycle) => {
        const { action } = decideGarbage(dependent(all, { hasDependents, inCycle }))
        const staying = all.filter((state) => state === 'solid').length
        const expected = staying === all.length ? 'keep' : staying > 0 ? 'disown' : 'delete'
        expect(action).toBe(expected)
      }),
      { numRuns: 200 },
    )
  })
})
