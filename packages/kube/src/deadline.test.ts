import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { DeadlineExceeded, withDeadline } from './deadline.ts'

const untilAborted = (signal: AbortSignal): Promise<string> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve('ended')))

describe('withDeadline', () => {
  it('returns the result of the work and leaves no timer', async () => {
    const clock = new VirtualClock()
    const { signal } = new AbortController()
    expect(await withDeadline(clock, 1000, 'work', signal, () => Promise.resolve(7))).toBe(7)
    expect(clock.pending).toBe(0)
  })

  it('throws the error of the work', async () => {
    const { signal } = new AbortController()
    const work = (): Promise<never> => Promise.reject(new Error('no such thing'))
    await expect(withDeadline(new VirtualClock(), 1000, 'work', signal, work)).rejects.toThrow(
      'no such thing',
    )
  })

  it('aborts the work at the deadline, however the work reacts', async () => {
    const clock = new VirtualClock()
    const { signal } = new AbortController()
    const rejects = async (inner: AbortSignal): Promise<never> => {
      await untilAborted(inner)
      throw new Error('this operation was aborted')
    }
    const outcomes = Promise.allSettled([
      withDeadline(clock, 1000, 'a list', signal, untilAborted),
      withDeadline(clock, 2000, 'a watch', signal, rejects),
    ])
    await clock.advance(2000)
    expect(await outcomes).toEqual([
      { status: 'rejected', reason: new DeadlineExceeded('a list', 1000) },
      { status: 'rejected', reason: new DeadlineExceeded('a watch', 2000) },
    ])
  })

  it('aborts when the caller aborts', async () => {
    const clock = new VirtualClock()
    const stop = new AbortController()
    const working = withDeadline(clock, 1000, 'work', stop.signal, untilAborted)
    stop.abort()
    expect(await working).toBe('ended')
    const late = withDeadline(clock, 1000, 'work', stop.signal, (inner) =>
      Promise.resolve(inner.aborted),
    )
    expect(await late).toBe(true)
    expect(clock.pending).toBe(0)
  })
})
