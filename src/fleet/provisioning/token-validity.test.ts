import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseClientAddress, parseRange } from '../network/address-range.ts'
import type { ProvisioningToken } from './token-secret.ts'
import { repeatMs, tokenValidity, tokenVerdict } from './token-validity.ts'
import { sampleToken } from './token.fixture.ts'

const now = Date.parse('2026-01-01T00:00:00Z')
const client = (text: string) => ({ text, bytes: parseClientAddress(text) })
const token = (more: Partial<ProvisioningToken> = {}): ProvisioningToken => ({
  name: 'lab',
  pool: 'worker',
  current: sampleToken('a'),
  isSingleUse: false,
  isRevoked: false,
  ...more,
})

describe('a token', () => {
  it('is valid until it is revoked', () => {
    expect(tokenValidity(token(), 'current', now)).toBe('valid')
    expect(tokenValidity(token({ isRevoked: true }), 'current', now)).toBe('revoked')
  })

  it('is valid until it expires', () => {
    const expiring = token({ expiresAt: now })
    expect(tokenValidity(expiring, 'current', now - 1)).toBe('valid')
    expect(tokenValidity(expiring, 'current', now)).toBe('expired')
  })

  it('from before the rotation is valid until the overlap ends', () => {
    const rotated = token({ previous: { text: sampleToken('b'), validUntil: now } })
    expect(tokenValidity(rotated, 'previous', now - 1)).toBe('valid')
    expect(tokenValidity(rotated, 'previous', now)).toBe('expired')
    expect(tokenValidity(rotated, 'current', now)).toBe('valid')
    expect(tokenValidity({ ...rotated, expiresAt: now - 9 }, 'previous', now - 1)).toBe('expired')
    expect(tokenValidity(token(), 'previous', now)).toBe('expired')
  })

  it('is never valid longer with a limit than without', () => {
    const time = fc.option(fc.integer({ min: now - 5, max: now + 5 }), { nil: undefined })
    const part = fc.constantFrom('current' as const, 'previous' as const)
    fc.assert(
      fc.property(time, fc.integer({ min: now - 5, max: now + 5 }), part, (expiresAt, at, part) => {
        const free = token({ previous: { text: sampleToken('b'), validUntil: now } })
        const limited = expiresAt === undefined ? free : { ...free, expiresAt }
        if (tokenValidity(limited, part, at) !== 'valid') return
        expect(tokenValidity(free, part, at)).toBe('valid')
        expect(tokenValidity(limited, part, at - 1)).toBe('valid')
      }),
    )
  })
})

describe('a client', () => {
  it('must be in a range of the token', () => {
    const ranges = [parseRange('10.0.0.0/8')!, parseRange('fd00::/8')!]
    const verdict = (text: string) => tokenVerdict(token({ ranges }), 'current', client(text), now)
    expect(verdict('10.1.2.3')).toBe('allowed')
    expect(verdict('::ffff:10.1.2.3')).toBe('allowed')
    expect(verdict('fd00::1')).toBe('allowed')
    expect(verdict('192.0.2.1')).toBe('address')
    expect(verdict('unknown')).toBe('address')
  })

  it('without a readable address may use a token without ranges', () => {
    expect(tokenVerdict(token(), 'current', client('unknown'), now)).toBe('allowed')
  })

  it('uses a single-use token once, and repeats the request for ten minutes', () => {
    expect(repeatMs).toBe(600_000)
    const free = token({ isSingleUse: true })
    expect(tokenVerdict(free, 'current', client('10.0.0.5'), now)).toBe('allowed-once')
    const used = { ...free, used: { at: now, by: '10.0.0.5' } }
    const verdict = (text: string, at: number) => tokenVerdict(used, 'current', client(text), at)
    expect(verdict('10.0.0.5', now)).toBe('allowed')
    expect(verdict('10.0.0.5', now + 599_999)).toBe('allowed')
    expect(verdict('10.0.0.5', now + 600_000)).toBe('used')
    expect(verdict('10.0.0.6', now)).toBe('used')
    const unknown = { ...free, used: { at: undefined, by: '10.0.0.5' } }
    expect(tokenVerdict(unknown, 'current', client('10.0.0.5'), now)).toBe('used')
    const nameless = { ...free, used: { at: now, by: 'unknown' } }
    expect(tokenVerdict(nameless, 'current', client('unknown'), now)).toBe('used')
  })

  it('outside the ranges does not use a single-use token', () => {
    const limited = token({ isSingleUse: true, ranges: [parseRange('10.0.0.0/8')!] })
    expect(tokenVerdict(limited, 'current', client('192.0.2.1'), now)).toBe('address')
  })
})
