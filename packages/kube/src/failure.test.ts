import { describe, expect, it } from 'vitest'
import type { Status } from './failure.ts'
import {
  ApiFailure,
  ConnectionFailure,
  isRefused,
  describeRefusal,
  withoutServerMessage,
} from './failure.ts'

const request = { method: 'POST', path: '/api/v1/secrets' }
const failure = (code: number, status: Status = {}): ApiFailure =>
  new ApiFailure(request, code, status)

describe('isRefused', () => {
  it.each([400, 403, 413, 422])('is true for %i', (code) => {
    expect(isRefused(failure(code))).toBe(true)
  })

  it.each([401, 404, 409, 410, 429, 500, 503])('is false for %i', (code) => {
    expect(isRefused(failure(code))).toBe(false)
  })

  it('is false for other errors', () => {
    expect(isRefused(new ConnectionFailure(request, 'cut off'))).toBe(false)
  })
})

describe('describeRefusal', () => {
  it('names each field and reason, but no value', () => {
    const source = { reason: 'FieldValueInvalid', field: 'spec.files[0].source' }
    const words = describeRefusal(
      'Secret db',
      failure(422, {
        reason: 'Invalid',
        message: 'Secret "db" is invalid: spec.files[0].source: Invalid value: "hunter2"',
        details: {
          causes: [
            { ...source, message: 'Invalid value: "hunter2"' },
            { ...source, message: 'Invalid value: "hunter2": too short' },
            { field: 'spec.kind', message: 'Unsupported value: "hunter2"' },
            { reason: 'FieldValueTooMany', message: 'hunter2' },
            { message: 'hunter2' },
          ],
        },
      }),
    )
    expect(words).toBe(
      'the API server refused Secret db (422 Invalid) because of spec.files[0].source (FieldValueInvalid), spec.kind, FieldValueTooMany',
    )
  })

  it('omits the fields if there are none', () => {
    const words = describeRefusal('Secret db', failure(413, { reason: 'RequestEntityTooLarge' }))
    expect(words).toBe('the API server refused Secret db (413 RequestEntityTooLarge)')
  })

  it('ignores a reason that is a sentence, because a webhook may quote values in it', () => {
    const reason = 'the password hunter2 is too short'
    const causes = [{ reason, field: 'data' }]
    const words = describeRefusal('Secret db', failure(403, { reason, details: { causes } }))
    expect(words).toBe('the API server refused Secret db (403) because of data')
  })
})

describe('withoutServerMessage', () => {
  it('keeps the failure without the message of the server', () => {
    const causes = [{ field: 'data.x', reason: 'FieldValueInvalid', message: '"hunter2"' }]
    const status = { reason: 'Invalid', message: 'hunter2', details: { name: 'db', causes } }
    const quiet = withoutServerMessage(failure(422, status)) as ApiFailure
    expect(isRefused(quiet)).toBe(true)
    expect([quiet.code, quiet.reason, quiet.request]).toEqual([422, 'Invalid', request])
    expect(quiet.message).toContain(
      'the API server refused it (422 Invalid) because of data.x (FieldValueInvalid)',
    )
    expect(quiet.status.details).toEqual({ name: 'db', causes: [{ field: 'data.x' }] })
    expect(JSON.stringify([quiet.message, quiet.status])).not.toContain('hunter2')
  })

  it('keeps retryAfterMs', () => {
    const quiet = withoutServerMessage(new ApiFailure(request, 500, { message: 'hunter2' }, 3000))
    expect((quiet as ApiFailure).retryAfterMs).toBe(3000)
    expect(String(quiet)).not.toContain('hunter2')
  })

  it('returns other errors unchanged', () => {
    const error = new ConnectionFailure(request, 'cut off')
    expect(withoutServerMessage(error)).toBe(error)
  })
})
