import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renewalOf } from './renewal.ts'

const day = 86_400_000
const start = Date.parse('2026-01-01T00:00:00Z')
const month = { notBefore: start, notAfter: start + 30 * day }

describe('a certificate is renewed', () => {
  it('after 80% of its validity', () => {
    expect(renewalOf(month, start + 24 * day)).toEqual({ at: start + 24 * day + 1 })
    expect(renewalOf(month, start + 24 * day + 1)).toEqual({
      why: 'past its latest possible time 2026-01-25T00:00:00Z',
      isUsable: true,
    })
  })

  it('earlier, at the refresh time', () => {
    const refreshMs = 15 * day
    expect(renewalOf(month, start, { refreshMs })).toEqual({ at: start + 15 * day + 1 })
    expect(renewalOf(month, start + 16 * day, { refreshMs })).toEqual({
      why: 'past its refresh time 2026-01-16T00:00:00Z',
      isUsable: true,
    })
  })

  it('when it has expired, and only then with onlyWhenExpired', () => {
    const helping = { refreshMs: day, onlyWhenExpired: true }
    expect(renewalOf(month, start + 30 * day, helping)).toEqual({ at: start + 30 * day + 1 })
    expect(renewalOf(month, start + 30 * day + 1, helping)).toEqual({
      why: 'already expired',
      isUsable: false,
    })
  })

  it('when it is not valid yet, beyond the tolerated clock skew', () => {
    expect(renewalOf(month, start - 299_000)).toEqual({ at: start + 24 * day + 1 })
    expect(renewalOf(month, start - 301_000)).toEqual({
      why: 'not valid before 2026-01-01T00:00:00Z: a clock was ahead',
      isUsable: false,
    })
  })

  it('when it is damaged', () => {
    expect(renewalOf({ problem: 'tls.crt is missing' }, start)).toEqual({
      why: 'tls.crt is missing',
      isUsable: false,
    })
  })

  it('never before the reported time, and always at that time', () => {
    const life = fc.record({
      notBefore: fc.integer({ min: 0, max: 1e12 }),
      life: fc.integer({ min: 1000, max: 1e11 }),
      refreshMs: fc.integer({ min: 1, max: 1e11 }),
      now: fc.integer({ min: 0, max: 2e12 }),
      onlyWhenExpired: fc.boolean(),
    })
    fc.assert(
      fc.property(life, ({ notBefore, life: ms, now, ...terms }) => {
        const certificate = { notBefore, notAfter: notBefore + ms }
        const renewal = renewalOf(certificate, now, terms)
        if (!('at' in renewal)) return
        expect(renewal.at).toBeGreaterThan(now)
        expect(renewalOf(certificate, renewal.at - 1, terms)).toEqual(renewal)
        expect(renewalOf(certificate, Math.ceil(renewal.at), terms)).toHaveProperty('why')
      }),
      { numRuns: 300 },
    )
  })
})
