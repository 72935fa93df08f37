import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventName, limitedMessage } from './event-text.ts'

describe('a message', () => {
  it('is unchanged if it fits', () => {
    expect(limitedMessage('drained')).toBe('drained')
    expect(limitedMessage('x'.repeat(1024))).toBe('x'.repeat(1024))
    expect(limitedMessage('')).toBe('')
  })

  it('is truncated to 1024 bytes otherwise', () => {
    expect(limitedMessage('x'.repeat(1025))).toBe(`${'x'.repeat(1021)}...`)
    expect(limitedMessage('ü'.repeat(600))).toBe(`${'ü'.repeat(510)}...`)
  })

  it('is truncated between characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 1500 }), (text) => {
        const limited = limitedMessage(text.repeat(3))
        expect(Buffer.byteLength(limited)).toBeLessThanOrEqual(1024)
        expect(limited.isWellFormed()).toBe(true)
      }),
    )
  })
})

describe('the name of an event', () => {
  it('contains the object and a time', () => {
    const newYear = Date.parse('2026-01-01T00:00:00Z')
    expect(eventName('worker-1', newYear, 0)).toBe('worker-1.18867251edfa0000')
    expect(eventName('worker-1', newYear, 7)).toBe('worker-1.18867251edfa0007')
    expect(eventName('worker-1', newYear, 1_000_007)).toBe('worker-1.18867251edfa0007')
  })

  it('is valid for every object name', () => {
    const valid = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
    expect(eventName('system:node', 1, 0)).toMatch(/^system-node\./)
    expect(eventName('', 1, 0)).toMatch(/^unnamed\./)
    fc.assert(
      fc.property(fc.string({ maxLength: 400 }), fc.nat(), (name, serial) => {
        const made = eventName(name, 1_767_225_600_000, serial)
        expect(made).toMatch(valid)
        expect(made.length).toBeLessThanOrEqual(253)
      }),
    )
  })
})
