import { describe, expect, it } from 'vitest'
import { ApiFailure, ConnectionFailure, UnreadableEvent } from '../failure.ts'
import type { Status } from '../failure.ts'
import { judge } from './trouble.ts'

const asked = { method: 'GET', path: '/api/v1/nodes' }
const refusal = (code: number, status: Status = {}): ApiFailure =>
  new ApiFailure(asked, code, status)

describe('judge', () => {
  it.each([
    [new ConnectionFailure(asked, 'socket hang up'), 'connection', 'resume'],
    [new UnreadableEvent(asked, 'a line is not UTF-8'), 'unreadable-event', 'relist'],
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
    expect(judge(error)).toMatchObject({ reason, next })
  })

  it('knows a version that lies in the future of the server', () => {
    const details = { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 }
    expect(judge(refusal(504, { details }))).toEqual({
      reason: 'version-unknown',
      next: 'relist',
      atLeastMs: 1000,
    })
  })

  it('passes on how long the server wants us to stay away', () => {
    expect(judge(refusal(429, { details: { retryAfterSeconds: 7 } })).atLeastMs).toBe(7000)
    expect(judge(refusal(503)).atLeastMs).toBe(0)
  })
})
