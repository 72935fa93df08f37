import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyMergePatch } from '@machinist/core/objects/merge-patch'
import type { Secret } from '@machinist/kube/kinds/core'
import type { TokenPatch } from './token-rotation.ts'
import {
  newTokenSecret,
  nextRotationAt,
  replaceToken,
  retirePrevious,
  rotateToken,
} from './token-rotation.ts'
import type { ProvisioningToken } from './token-secret.ts'
import { readTokenSecret } from './token-secret.ts'
import { tokenVerdict } from './token-validity.ts'
import { sampleToken } from './token.fixture.ts'

const now = Date.parse('2026-01-01T00:00:00.500Z')
const hour = 3_600_000
const pool = { metadata: { name: 'worker', uid: 'u-1' }, spec: {} }
const [a, b, c] = [sampleToken('a'), sampleToken('b'), sampleToken('c')]

const applied = (secret: Secret, { annotations, data }: TokenPatch): Secret =>
  applyMergePatch(secret, { metadata: { annotations }, data }) as Secret
const read = (secret: Secret): ProvisioningToken => {
  const reading = readTokenSecret(secret)
  if (reading.type === 'invalid') throw new Error(reading.problem)
  return reading.token
}
const decoded = ({ data = {} }: Secret): object =>
  Object.fromEntries(
    Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]),
  )

describe('a new token Secret', () => {
  it('belongs to its pool', () => {
    expect(newTokenSecret('provisioning-token-worker', pool, a, now)).toEqual({
      metadata: {
        name: 'provisioning-token-worker',
        namespace: 'machinist-provisioning',
        labels: { 'machinist.dev/pool': 'worker' },
        annotations: { 'machinist.dev/token-issued-at': '2026-01-01T00:00:00Z' },
        ownerReferences: [
          {
            apiVersion: 'machineconfiguration.openshift.io/v1',
            kind: 'MachineConfigPool',
            name: 'worker',
            uid: 'u-1',
          },
        ],
      },
      type: 'machinist.dev/provisioning-token',
      data: { token: Buffer.from(a).toString('base64') },
    })
  })

  it('has the limits of the user', () => {
    const limits = { expiresAt: now + hour, cidrs: ['10.0.0.0/8', 'fd00::/8'], isSingleUse: true }
    const { metadata } = newTokenSecret('lab', pool, a, now, limits)
    expect(metadata.annotations).toEqual({
      'machinist.dev/token-issued-at': '2026-01-01T00:00:00Z',
      'machinist.dev/token-expires-at': '2026-01-01T01:00:01Z',
      'machinist.dev/token-cidrs': '10.0.0.0/8,fd00::/8',
      'machinist.dev/token-uses': '1',
    })
  })
})

describe('a rotation', () => {
  const fresh = newTokenSecret('provisioning-token-worker', pool, a, now)

  it('keeps the token from before for the overlap, rounded up', () => {
    const patch = rotateToken(read(fresh), b, now + hour, { overlapMs: 2 * hour })
    const rotated = applied(fresh, patch)
    expect(decoded(rotated)).toEqual({ token: b, previous: a })
    expect(rotated.metadata.annotations).toEqual({
      'machinist.dev/token-issued-at': '2026-01-01T01:00:00Z',
      'machinist.dev/previous-valid-until': '2026-01-01T03:00:01Z',
    })
    const retired = applied(rotated, retirePrevious)
    expect(decoded(retired)).toEqual({ token: b })
    expect(retired.metadata.annotations).toEqual({
      'machinist.dev/token-issued-at': '2026-01-01T01:00:00Z',
    })
  })

  it('of a token that is not readable keeps nothing of it', () => {
    const odd = { ...fresh, data: { token: 'eA==', previous: 'eQ==' } }
    const replaced = applied(odd, replaceToken(c, now))
    expect(decoded(replaced)).toEqual({ token: c })
  })

  it('is due after the refresh time, but not before the last overlap has ended', () => {
    const settings = { refreshMs: 24 * hour }
    expect(nextRotationAt({ issuedAt: now }, settings)).toBe(now + 24 * hour)
    const overlapping = { issuedAt: now, previous: { text: a, validUntil: now + 48 * hour } }
    expect(nextRotationAt(overlapping, settings)).toBe(now + 48 * hour)
    const over = { issuedAt: now, previous: { text: a, validUntil: now + hour } }
    expect(nextRotationAt(over, settings)).toBe(now + 24 * hour)
    expect(nextRotationAt({}, settings)).toBe(-Infinity)
  })
})

/** One rotation: the operator is late by `lateMs`, and user data follows after `followMs`. */
const step = fc.record({
  refreshMs: fc.integer({ min: hour, max: 100 * hour }),
  overlapMs: fc.integer({ min: hour, max: 100 * hour }),
  lateMs: fc.nat(50 * hour),
  followMs: fc.nat(hour - 1),
})

it('at every moment, the token in the newest user data is accepted, and one from before the last rotation until the overlap ends', () => {
  const client = { text: '10.0.0.5', bytes: Uint8Array.from([10, 0, 0, 5]) }
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      let secret = newTokenSecret('provisioning-token-worker', pool, tokenOf(0), now)
      let time = now
      const isAccepted = (text: string, at: number): boolean => {
        const token = read(secret)
        const part = text === token.current ? 'current' : 'previous'
        const isKnown = part === 'current' || text === token.previous?.text
        return isKnown && tokenVerdict(token, part, client, at) === 'allowed'
      }
      for (const [i, { refreshMs, overlapMs, lateMs, followMs }] of steps.entries()) {
        const [before, after] = [tokenOf(i), tokenOf(i + 1)]
        time = Math.max(time, nextRotationAt(read(secret), { refreshMs })) + lateMs
        expect(isAccepted(before, time)).toBe(true)
        secret = applied(secret, rotateToken(read(secret), after, time, { overlapMs }))
        // User data still has the token from before, then the new one.
        for (const at of [time, time + followMs / 2, time + followMs]) {
          expect(isAccepted(before, at)).toBe(true)
          expect(isAccepted(after, at)).toBe(true)
        }
        expect(isAccepted(before, time + overlapMs - 1)).toBe(true)
        expect(isAccepted(before, time + overlapMs + 1000)).toBe(false)
        expect(isAccepted(after, time + overlapMs + 1000)).toBe(true)
      }
    }),
  )
})

const tokenOf = (i: number): string => `${sampleToken('t')}-${i}`
