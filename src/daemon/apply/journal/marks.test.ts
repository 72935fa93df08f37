import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Mark } from './marks.ts'
import {
  interruptionsIn,
  startedActionsIn,
  isActionDone,
  marksIn,
  rebootIn,
  rollbackIn,
} from './marks.ts'

describe('the marks of a log', () => {
  it('are its lines, without lines that a crash cut off', () => {
    expect(marksIn('\n{"acting":0}\n\n{"act\n{"rollback":"no space"}\n')).toEqual([
      { acting: 0 },
      { rollback: 'no space' },
    ])
  })

  it('include a line without its newline', () => {
    expect(marksIn('\n{"acting":0}')).toEqual([{ acting: 0 }])
  })

  it.each(['', '\n', '5', 'null', '"text"', '[1]', '\0\0\0\0'])('%j has none', (log) => {
    expect(marksIn(log)).toEqual([])
  })

  it('survive any truncation, and marks can be added after it', () => {
    const log = '\n{"acting":0}\n\n{"acting":1}\n\n{"reboot":"why","bootId":"b"}\n'
    fc.assert(
      fc.property(fc.nat(log.length), (cut) => {
        const marks = marksIn(`${log.slice(0, cut)}\n{"rollback":"x"}\n`)
        expect(marks.at(-1)).toEqual({ rollback: 'x' })
        expect(startedActionsIn(marks)).toEqual(cut < 13 ? [] : cut < 27 ? [0] : [0, 1])
      }),
    )
  })

  it('give the last reboot and the first reason for a rollback', () => {
    const marks: Mark[] = [
      { reboot: 'one', bootId: '1' },
      { rollback: 'first' },
      { rollback: 'second' },
      { reboot: 'two', bootId: '2', back: true },
    ]
    expect(rebootIn(marks)?.reboot).toBe('two')
    expect(rollbackIn(marks)).toBe('first')
    expect(rollbackIn([])).toBeUndefined()
  })

  it('count interruptions, but not parks', () => {
    expect(
      interruptionsIn([{ resumed: '1' }, { parked: true }, { resumed: '1' }, { resumed: '1' }]),
    ).toBe(2)
  })

  it('show that an action is done when a later one or the reboot was started', () => {
    expect(isActionDone(0, [{ acting: 0 }])).toBe(false)
    expect(isActionDone(0, [{ acting: 0 }, { acting: 1 }])).toBe(true)
    expect(isActionDone(1, [{ acting: 0 }, { acting: 1 }])).toBe(false)
    expect(isActionDone(1, [{ acting: 1 }, { reboot: 'why', bootId: '1' }])).toBe(true)
  })
})
