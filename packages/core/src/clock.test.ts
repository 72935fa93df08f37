import { describe, expect, it } from 'vitest'
import { sleep, systemClock } from './clock.ts'
import { VirtualClock } from './virtual-clock.ts'

describe('sleep', () => {
  it('resolves after its delay, not before', async () => {
    const clock = new VirtualClock()
    let awake = false
    void sleep(clock, 100).then(() => (awake = true))
    await clock.advance(99)
    expect(awake).toBe(false)
    await clock.advance(1)
    expect(awake).toBe(true)
  })

  it('resolves when its signal aborts, and leaves no timer behind', async () => {
    const clock = new VirtualClock()
    const stop = new AbortController()
    const sleeping = sleep(clock, 1_000_000, stop.signal)
    stop.abort()
    await sleeping
    expect(clock.pending).toBe(0)
  })

  it('resolves immediately for an aborted signal', async () => {
    const clock = new VirtualClock()
    await sleep(clock, 1_000_000, AbortSignal.abort())
    expect(clock.pending).toBe(0)
  })
})

describe('VirtualClock', () => {
  it('runs due tasks by time, then in the order of registration', async () => {
    const clock = new VirtualClock()
    const ran: string[] = []
    clock.after(20, () => ran.push('later'))
    clock.after(10, () => ran.push('first'))
    clock.after(10, () => ran.push('second'))
    await clock.advance(15)
    expect(ran).toEqual(['first', 'second'])
    await clock.advance(5)
    expect(ran).toEqual(['first', 'second', 'later'])
  })

  it('runs tasks that other tasks schedule within the same step', async () => {
    const clock = new VirtualClock()
    const at: number[] = []
    const tick = (): void => {
      at.push(clock.elapsed())
      if (at.length < 4) clock.after(10, tick)
    }
    clock.after(10, tick)
    await clock.advance(100)
    expect(at).toEqual([10, 20, 30, 40])
    expect(clock.elapsed()).toBe(100)
  })

  it('does not run a cancelled task', async () => {
    const clock = new VirtualClock()
    let ran = false
    clock.after(10, () => (ran = true))()
    await clock.advance(100)
    expect(ran).toBe(false)
  })

  it('runs each due task once after a leap', async () => {
    const clock = new VirtualClock()
    const ran: number[] = []
    const again = (): void => {
      ran.push(clock.elapsed())
      clock.after(1000, again)
    }
    clock.after(1000, again)
    await clock.leap(3_600_000)
    expect(ran).toEqual([3_600_000])
  })

  it('starts at the given time, and jumps without firing timers', async () => {
    const clock = new VirtualClock(Date.parse('2030-05-05T00:00:00Z'))
    let ran = false
    clock.after(1000, () => (ran = true))
    clock.jump(3_600_000)
    await clock.advance(0)
    expect(new Date(clock.now()).toISOString()).toBe('2030-05-05T01:00:00.000Z')
    expect(clock.elapsed()).toBe(0)
    expect(ran).toBe(false)
  })
})

describe('systemClock', () => {
  it('runs a task, and cancels a task', async () => {
    const called = await new Promise<string>((resolve) => {
      systemClock.after(0, () => resolve('cancelled task'))()
      // The timer does not keep the process alive; the test runner does.
      systemClock.after(1, () => resolve('called'))
    })
    expect(called).toBe('called')
  })

  it('does not fire immediately for a delay beyond the limit of setTimeout', async () => {
    let fired = false
    const cancel = systemClock.after(2 ** 40, () => (fired = true))
    await new Promise<void>((resolve) => void systemClock.after(5, resolve))
    cancel()
    expect(fired).toBe(false)
  })
})
