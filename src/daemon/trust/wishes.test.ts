import { describe, expect, it } from 'vitest'
import { silentLogger } from '@machinist/core/log'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { ConfigSource, SeenConfig } from './followed-config.ts'
import { Wishes } from './wishes.ts'

const config = (version: string): SeenConfig => ({
  uid: 'u',
  version,
  generation: 1,
  delivery: 'direct',
  said: undefined,
  isWhole: true,
  rotates: false,
})

describe('what the cluster wants', () => {
  it('is the answer of a moment ago, until a list that was begun later shows an older version', async () => {
    const clock = new VirtualClock()
    const followed = { seen: config('9') }
    const source = {
      seen: () => followed.seen,
      ask: () => Promise.resolve(config('20')),
    } as unknown as ConfigSource
    const wishes = new Wishes({ config: source, handlers: [], clock, log: silentLogger })
    const before = clock.elapsed()
    await clock.advance(1)
    await wishes.ask(AbortSignal.abort())
    wishes.relisted(before)
    expect(wishes.seen()?.version).toBe('20')
    await clock.advance(1)
    // etcd was restored.
    followed.seen = config('8')
    wishes.relisted(clock.elapsed())
    expect(wishes.seen()?.version).toBe('8')
  })
})
