import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { waitFor } from './wait-for.ts'

const { signal } = new AbortController()

describe('waiting', () => {
  it('polls until the condition holds', async () => {
    const clock = new VirtualClock()
    let looks = 0
    const waiting = waitFor(() => ++looks === 4, { clock, signal, timeoutMs: 1000 })
    await clock.advance(1000)
    expect(await waiting).toBe(true)
    expect(looks).toBe(4)
  })

  it('ends with the timeout', async () => {
    const clock = new VirtualClock()
    const waiting = waitFor(() => Promise.resolve(false), { clock, signal, timeoutMs: 200 })
    await clock.advance(400)
    expect(await waiting).toBe(false)
    expect(clock.pending).toBe(0)
  })

  it('ends immediately when the user stops the command', async () => {
    const clock = new VirtualClock()
    const ended = new AbortController()
    const waiting = waitFor(() => false, { clock, signal: ended.signal, timeoutMs: 1e9 })
    ended.abort()
    await expect(waiting).rejects.toThrow('stopped before both rotations were completed')
  })
})
