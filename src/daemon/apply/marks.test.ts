import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Mark } from './marks.ts'
import { accidentsIn, begunIn, isPast, marksIn, rebootIn, rollbackIn } from './marks.ts'

describe('the marks of a log', () => {
  it('are its lines, without those that a crash cut off', () => {
    expect(marksIn('\n{"acting":0}\n\n{"act\n{"rollback":"no space"}\n')).toEqual([
      { acting: 0 },
      { rollback: 'no space' },
    ])
  })

  it('count when only the end of the line is missing', () => {
    expect(marksIn('\n{"acting":0}')).toEqual([{ acting: 0 }])
  })

  it.each(['', '\n', '5', 'null', '"text"', '[1]', '\0\0\0\0'])('%j has none', (log) => {
    expect(marksIn(log)).toEqual([])
  })

  it('survive any cut: what comes before it is there, and what is written after it is, too', () => {
    const log = '\n{"acting":0}\n\n{"acting":1}\n\n{"reboot":"why","bootId":"b"}\n'
    fc.assert(
      fc.property(fc.nat(log.length), (cut) => {
        const marks = marksIn(`${log.slice(0, cut)}\n{"rollback":"x"}\n`)
        expect(marks.at(-1)).toEqual({ rollback: 'x' })
        expect(begunIn(marks)).toEqual(cut < 13 ? [] : cut < 27 ? [0] : [0, 1])
      }),
    )
  })

  it('tell the last reboot and the first reason for going back', () => {
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

  it('tell how often it was cut off, not how often it was parked', () => {
    expect(
      accidentsIn([{ resumed: '1' }, { parked: true }, { resumed: '1' }, { resumed: '1' }]),
    ).toBe(2)
  })

  it('tell that an action is done when a later one was begun, or the reboot', () => {
    expect(isPast(0, [{ acting: 0 }])).toBe(false)
    expect(isPast(0, [{ acting: 0 }, { acting: 1 }])).toBe(true)
    expect(isPast(1, [{ acting: 0 }, { acting: 1 }])).toBe(false)
    expect(isPast(1, [{ acting: 1 }, { reboot: 'why', bootId: '1' }])).toBe(true)
  })
})
