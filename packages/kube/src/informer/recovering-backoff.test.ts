import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { RecoveringBackoff } from './recovering-backoff.ts'

const policy = { firstMs: 800, maxMs: 30_000, factor: 2, jitter: 1 }
const still = { next: () => 0 }
const never = new AbortController().signal

async function waitOnce(clock: VirtualClock, backoff: RecoveringBackoff): Promise<number> {
  const ms = backoff.next()
  const waiting = backoff.wait(ms, never)
  await clock.advance(ms)
  await waiting
  return ms
}

describe('RecoveringBackoff', () => {
  it('doubles up to its limit', async () => {
    const clock = new VirtualClock()
    const backoff = new RecoveringBackoff(clock, still, policy, 120_000)
    const delays: number[] = []
    for (let i = 0; i < 8; i++) delays.push(await waitOnce(clock, backoff))
    expect(delays).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000])
  })

  it('resets after the healthy time, and not earlier', async () => {
    const clock = new VirtualClock()
    const backoff = new RecoveringBackoff(clock, still, policy, 120_000)
    await waitOnce(clock, backoff)
    await waitOnce(clock, backoff)
    await clock.advance(119_999)
    expect(await waitOnce(clock, backoff)).toBe(3200)
    await clock.advance(120_000)
    expect(await waitOnce(clock, backoff)).toBe(800)
  })

  it('does not count the delay as healthy time', async () => {
    const clock = new VirtualClock()
    const backoff = new RecoveringBackoff(clock, still, policy, 20_000)
    for (let i = 0; i < 6; i++) await waitOnce(clock, backoff)
    expect(backoff.next()).toBe(30_000)
  })

  it('applies jitter and the minimum of the server', () => {
    const clock = new VirtualClock()
    const backoff = new RecoveringBackoff(clock, { next: () => 0.5 }, policy, 120_000)
    expect(backoff.next()).toBe(1200)
    expect(backoff.next(60_000)).toBe(60_000)
  })

  it('ends the delay when the signal aborts', async () => {
    const clock = new VirtualClock()
    const stop = new AbortController()
    const waiting = new RecoveringBackoff(clock, still, policy, 1).wait(30_000, stop.signal)
    stop.abort()
    await waiting
    expect(clock.pending).toBe(0)
  })
})
