import { describe, expect, it } from 'vitest'
import { silentLogger } from '@machinist/core/log'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { KeyedWork } from './keyed-work.ts'

describe('KeyedWork', () => {
  it('runs one key at a time, and deduplicates pending keys', async () => {
    const clock = new VirtualClock()
    const done: string[] = []
    const work = new KeyedWork((key) => Promise.resolve(void done.push(key)), clock, silentLogger)
    work.add('a')
    work.add('a')
    work.add('b')
    await clock.advance(0)
    expect(done).toEqual(['a', 'b'])
    work.add('a')
    await clock.advance(0)
    expect(done).toEqual(['a', 'b', 'a'])
  })

  it('retries after a second', async () => {
    const clock = new VirtualClock()
    let tries = 0
    const work = new KeyedWork(
      () => (++tries === 1 ? Promise.reject(new Error('no')) : Promise.resolve()),
      clock,
      silentLogger,
    )
    work.add('a')
    await clock.advance(999)
    expect(tries).toBe(1)
    await clock.advance(1)
    expect(tries).toBe(2)
    await clock.advance(10_000)
    expect(tries).toBe(2)
  })

  it('runs a delayed key at the earliest requested time', async () => {
    const clock = new VirtualClock()
    const done: string[] = []
    const work = new KeyedWork((key) => Promise.resolve(void done.push(key)), clock, silentLogger)
    work.addAfter('a', 5000)
    work.addAfter('a', 2000)
    work.addAfter('a', 9000)
    await clock.advance(1999)
    expect(done).toEqual([])
    await clock.advance(1)
    expect(done).toEqual(['a'])
    await clock.advance(60_000)
    expect(done).toEqual(['a'])
    work.addAfter('b', 1000)
    await work.stop()
    expect(clock.pending).toBe(0)
  })

  it('accepts nothing after it is stopped', async () => {
    const clock = new VirtualClock()
    const done: string[] = []
    const work = new KeyedWork((key) => Promise.resolve(void done.push(key)), clock, silentLogger)
    await work.stop()
    work.add('a')
    await clock.advance(0)
    expect(done).toEqual([])
  })
})
