import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { waitFor } from './waiting.ts'

const { signal } = new AbortController()

describe('waiting', () => {
  it('looks again until it is so', async () => {
    const clock = new VirtualClock()
    let looks = 0
    const waiting = waitFor(() => ++looks === 4, { clock, signal, patienceMs: 1000 })
    await clock.advance(1000)
    expect(await waiting).toBe(true)
    expect(looks).toBe(4)
  })

  it('ends with patience', async () => {
    const clock = new VirtualClock()
    const waiting = waitFor(() => Promise.resolve(false), { clock, signal, patienceMs: 200 })
    await clock.advance(400)
    expect(await waiting).toBe(false)
    expect(clock.pending).toBe(0)
  })

  it('ends at once when somebody ends the command', async () => {
    const clock = new VirtualClock()
    const ended = new AbortController()
    const waiting = waitFor(() => false, { clock, signal: ended.signal, patienceMs: 1e9 })
    ended.abort()
    await expect(waiting).rejects.toThrow('ended before both rotations were over')
  })
})
