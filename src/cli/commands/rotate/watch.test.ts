import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { completed, midway, rotation } from '../../../views/rotate/sample.fixture.ts'
import type { RotationFacts } from '../../../views/rotate/facts.ts'
import { RotationJournal } from '../../../views/rotate/journal.ts'
import type { RotationProgress } from '../../../views/rotate/progress.ts'
import { watchRotation } from './watch.ts'

class WatchFixture {
  readonly clock = new VirtualClock()
  readonly shown: (string | undefined)[] = []
  readonly stop = new AbortController()
  facts: RotationFacts | undefined = midway
  notify: () => void = () => {}
  readonly ended: Promise<RotationProgress | undefined>

  constructor(ticks = false) {
    const followed = {
      facts: () => this.facts,
      subscribe: (notify: () => void) => void (this.notify = notify),
    }
    const options = {
      journal: new RotationJournal(),
      clock: this.clock,
      ticks,
      show: ({ phase }: RotationProgress) => void this.shown.push(phase),
      isOver: ({ phase }: RotationProgress) => phase === 'Completed',
    }
    this.ended = watchRotation(followed, options, this.stop.signal)
  }
}

describe('a watched rotation', () => {
  it('is shown immediately and after changes, which are collected', async () => {
    const fixture = new WatchFixture()
    expect(fixture.shown).toEqual(['Preparing'])
    fixture.notify()
    fixture.notify()
    expect(fixture.shown).toHaveLength(1)
    await fixture.clock.advance(250)
    expect(fixture.shown).toHaveLength(2)
    await fixture.clock.advance(60_000)
    expect(fixture.shown).toHaveLength(2)
  })

  it('ends when it is completed, without further updates', async () => {
    const fixture = new WatchFixture(true)
    fixture.facts = { ...midway, rotation: rotation(completed) }
    fixture.notify()
    await fixture.clock.advance(250)
    expect((await fixture.ended)?.phase).toBe('Completed')
    fixture.notify()
    await fixture.clock.advance(60_000)
    expect(fixture.shown).toEqual(['Preparing', 'Completed'])
    expect(fixture.clock.pending).toBe(0)
  })

  it('is updated every second with ticks', async () => {
    const fixture = new WatchFixture(true)
    await fixture.clock.advance(3300)
    expect(fixture.shown).toHaveLength(4)
  })

  it('ends with the last progress when the user stops it', async () => {
    const fixture = new WatchFixture()
    fixture.facts = { ...midway, rotation: rotation({ ...completed, phase: 'Issuing' }) }
    fixture.stop.abort()
    expect((await fixture.ended)?.phase).toBe('Issuing')
  })

  it('ends when it is deleted', async () => {
    const fixture = new WatchFixture()
    fixture.facts = undefined
    fixture.notify()
    await fixture.clock.advance(250)
    expect(await fixture.ended).toBeUndefined()
  })
})
