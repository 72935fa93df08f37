import { describe, expect, it } from 'vitest'
import { silentLogger } from '@machinist/core/log'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { ConfigSource, ObservedConfig } from './followed-config.ts'
import { DesiredTrustSource } from './desired-trust-source.ts'

const config = (version: string): ObservedConfig => ({
  uid: 'u',
  version,
  generation: 1,
  delivery: 'direct',
  digestsAnnotation: undefined,
  isComplete: true,
  isRotating: false,
})

describe('the desired trust', () => {
  it('is that of the last read, until a list that began later shows an older version', async () => {
    const clock = new VirtualClock()
    const followed = { observed: config('9') }
    const source = {
      observed: () => followed.observed,
      fetchObserved: () => Promise.resolve(config('20')),
    } as unknown as ConfigSource
    const desired = new DesiredTrustSource({
      config: source,
      clock,
      log: silentLogger,
    })
    const before = clock.elapsed()
    await clock.advance(1)
    await desired.refresh(AbortSignal.abort())
    desired.relisted(before)
    expect(desired.observed()?.version).toBe('20')
    await clock.advance(1)
    // etcd was restored.
    followed.observed = config('8')
    desired.relisted(clock.elapsed())
    expect(desired.observed()?.version).toBe('8')
  })
})
