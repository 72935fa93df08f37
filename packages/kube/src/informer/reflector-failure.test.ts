import { describe, expect, it } from 'vitest'
import { ApiFailure, ConnectionFailure, UnreadableEvent } from '../failure.ts'
import type { Status } from '../failure.ts'
import { classifyFailure } from './reflector-failure.ts'

const request = { method: 'GET', path: '/api/v1/nodes' }
const refusal = (code: number, status: Status = {}): ApiFailure =>
  new ApiFailure(request, code, status)

describe('classifyFailure', () => {
  it.each([
    [new ConnectionFailure(request, 'socket hang up'), 'connection', 'resume'],
    [new UnreadableEvent(request, 'a line is not UTF-8'), 'unreadable-event', 'relist'],
    [refusal(410, { reason: 'Expired' }), 'expired', 'relist'],
    [refusal(410, { reason: 'Gone' }), 'expired', 'relist'],
    [refusal(429), 'too-many-requests', 'resume'],
    [refusal(500), 'server-error', 'resume'],
    [refusal(503), 'server-error', 'resume'],
    [refusal(504), 'server-error', 'resume'],
    [refusal(401), 'not-allowed', 'resume'],
    [refusal(403), 'not-allowed', 'resume'],
    [refusal(400), 'refused', 'relist'],
    [refusal(404), 'refused', 'relist'],
    [new TypeError('a bug'), 'unexpected', 'relist'],
    ['thrown text', 'unexpected', 'relist'],
  ])('%s', (error, reason, next) => {
    expect(classifyFailure(error)).toMatchObject({ reason, next })
  })

  it('detects a version that is newer than the server', () => {
    const details = { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 }
    expect(classifyFailure(refusal(504, { details }))).toEqual({
      reason: 'version-unknown',
      next: 'relist',
      atLeastMs: 1000,
    })
  })

  it('returns the delay that the server requires', () => {
    expect(classifyFailure(refusal(429, { details: { retryAfterSeconds: 7 } })).atLeastMs).toBe(
      7000,
    )
    expect(classifyFailure(refusal(503)).atLeastMs).toBe(0)
  })
})
