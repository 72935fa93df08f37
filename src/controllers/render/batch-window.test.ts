import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { BatchWindow } from './batch-window.ts'

describe('a batch window', () => {
  it('lasts from the first change, however many follow', async () => {
    const clock = new VirtualClock()
    const window = new BatchWindow(clock, 5000)
    expect(window.remaining('worker')).toBe(0)
    window.open('worker')
    await clock.advance(3000)
    window.open('worker')
    expect(window.remaining('worker')).toBe(2000)
    expect(window.remaining('master')).toBe(0)
    await clock.advance(4000)
    expect(window.remaining('worker')).toBe(0)
    window.close('worker')
    window.open('worker')
    expect(window.remaining('worker')).toBe(5000)
  })
})
