import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { NoAnswer, withPatience } from './patience.ts'

const untilAborted = (signal: AbortSignal): Promise<string> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve('ended')))

describe('withPatience', () => {
  it('answers what the work answers, and leaves no timer', async () => {
    const clock = new VirtualClock()
    const { signal } = new AbortController()
    expect(await withPatience(clock, 1000, 'work', signal, () => Promise.resolve(7))).toBe(7)
    expect(clock.pending).toBe(0)
  })

  it('fails as the work fails', async () => {
    const { signal } = new AbortController()
    const work = (): Promise<never> => Promise.reject(new Error('no such thing'))
    await expect(withPatience(new VirtualClock(), 1000, 'work', signal, work)).rejects.toThrow(
      'no such thing',
    )
  })

  it('aborts the work when it takes too long, however the work takes that', async () => {
    const clock = new VirtualClock()
    const { signal } = new AbortController()
    const rejects = async (inner: AbortSignal): Promise<never> => {
      await untilAborted(inner)
      throw new Error('this operation was aborted')
    }
    const outcomes = Promise.allSettled([
      withPatience(clock, 1000, 'a list', signal, untilAborted),
      withPatience(clock, 2000, 'a watch', signal, rejects),
    ])
    await clock.advance(2000)
    expect(await outcomes).toEqual([
      { status: 'rejected', reason: new NoAnswer('a list', 1000) },
      { status: 'rejected', reason: new NoAnswer('a watch', 2000) },
    ])
  })

  it('passes on that it is all over', async () => {
    const clock = new VirtualClock()
    const stop = new AbortController()
    const working = withPatience(clock, 1000, 'work', stop.signal, untilAborted)
    stop.abort()
    expect(await working).toBe('ended')
    const late = withPatience(clock, 1000, 'work', stop.signal, (inner) =>
      Promise.resolve(inner.aborted),
    )
    expect(await late).toBe(true)
    expect(clock.pending).toBe(0)
  })
})
