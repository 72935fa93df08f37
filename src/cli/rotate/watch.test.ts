import { describe, expect, it } from 'vitest'
import { completed, midway, rotation } from '../../views/rotate/sample.fixture.ts'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { RotationFacts } from '../../views/rotate/facts.ts'
import { Journal } from '../../views/rotate/journal.ts'
import type { Progress } from '../../views/rotate/progress.ts'
import { watch } from './watch.ts'

class Stage {
  readonly clock = new VirtualClock()
  readonly shown: (string | undefined)[] = []
  readonly stop = new AbortController()
  facts: RotationFacts | undefined = midway
  heard: () => void = () => {}
  readonly ended: Promise<Progress | undefined>

  constructor(ticks = false) {
    const sight = {
      facts: () => this.facts,
      subscribe: (heard: () => void) => void (this.heard = heard),
    }
    const options = {
      journal: new Journal(),
      clock: this.clock,
      ticks,
      show: ({ phase }: Progress) => void this.shown.push(phase),
      isOver: ({ phase }: Progress) => phase === 'Completed',
    }
    this.ended = watch(sight, options, this.stop.signal)
  }
}

describe('a rotation that is watched', () => {
  it('is shown at once, then after changes, many of them together', async () => {
    const stage = new Stage()
    expect(stage.shown).toEqual(['Preparing'])
    stage.heard()
    stage.heard()
    expect(stage.shown).toHaveLength(1)
    await stage.clock.advance(250)
    expect(stage.shown).toHaveLength(2)
    await stage.clock.advance(60_000)
    expect(stage.shown).toHaveLength(2)
  })

  it('ends when it is over, and is not looked at any more', async () => {
    const stage = new Stage(true)
    stage.facts = { ...midway, rotation: rotation(completed) }
    stage.heard()
    await stage.clock.advance(250)
    expect((await stage.ended)?.phase).toBe('Completed')
    stage.heard()
    await stage.clock.advance(60_000)
    expect(stage.shown).toEqual(['Preparing', 'Completed'])
    expect(stage.clock.pending).toBe(0)
  })

  it('is looked at every second where somebody sees time pass', async () => {
    const stage = new Stage(true)
    await stage.clock.advance(3300)
    expect(stage.shown).toHaveLength(4)
  })

  it('ends when somebody has seen enough, with the last that is known', async () => {
    const stage = new Stage()
    stage.facts = { ...midway, rotation: rotation({ ...completed, phase: 'Issuing' }) }
    stage.stop.abort()
    expect((await stage.ended)?.phase).toBe('Issuing')
  })

  it('ends when it is gone', async () => {
    const stage = new Stage()
    stage.facts = undefined
    stage.heard()
    await stage.clock.advance(250)
    expect(await stage.ended).toBeUndefined()
  })
})
