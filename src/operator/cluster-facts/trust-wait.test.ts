import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { stored } from './example-facts.fixture.ts'
import { TrustWait } from './trust-wait.ts'

const written = stored({}, { 'machinist.dev/trust-digests': '{}' })

describe('the first write', () => {
  it('waits for the trust controller, for a limited time', async () => {
    const clock = new VirtualClock()
    const wait = new TrustWait(clock, 3000)
    expect(wait.remainingMs(undefined)).toBe(3000)
    await clock.advance(1000)
    expect(wait.remainingMs(stored({}))).toBe(2000)
    await clock.advance(5000)
    expect(wait.remainingMs(stored({}))).toBe(0)
  })

  it('does not wait if the trust controller has written', () => {
    const wait = new TrustWait(new VirtualClock(), 3000)
    expect(wait.remainingMs(written)).toBe(0)
  })
})
