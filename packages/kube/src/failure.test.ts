import { describe, expect, it } from 'vitest'
import type { Status } from './failure.ts'
import {
  ApiFailure,
  ConnectionFailure,
  isRefused,
  refusalInWords,
  withoutQuotes,
} from './failure.ts'

const asked = { method: 'POST', path: '/api/v1/secrets' }
const failure = (code: number, status: Status = {}): ApiFailure =>
  new ApiFailure(asked, code, status)

describe('a refusal', () => {
  it.each([400, 403, 413, 422])('is what is answered with %i', (code) => {
    expect(isRefused(failure(code))).toBe(true)
  })

  it.each([401, 404, 409, 410, 429, 500, 503])('is not what is answered with %i', (code) => {
    expect(isRefused(failure(code))).toBe(false)
  })

  it('is not what never was answered', () => {
    expect(isRefused(new ConnectionFailure(asked, 'cut off'))).toBe(false)
  })
})

describe('a refusal in words', () => {
  it('names each place and why, but nothing that was sent', () => {
    const source = { reason: 'FieldValueInvalid', field: 'spec.files[0].source' }
    const words = refusalInWords(
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

  it('does without places where there are none', () => {
    const words = refusalInWords('Secret db', failure(413, { reason: 'RequestEntityTooLarge' }))
    expect(words).toBe('the API server refused Secret db (413 RequestEntityTooLarge)')
  })

  it('takes no sentence for a reason: a webhook may quote in it', () => {
    const reason = 'the password hunter2 is too short'
    const causes = [{ reason, field: 'data' }]
    const words = refusalInWords('Secret db', failure(403, { reason, details: { causes } }))
    expect(words).toBe('the API server refused Secret db (403) because of data')
  })
})

describe('a refusal without quotes', () => {
  it('is the same refusal, and says nothing that the server said', () => {
    const causes = [{ field: 'data.x', reason: 'FieldValueInvalid', message: '"hunter2"' }]
    const status = { reason: 'Invalid', message: 'hunter2', details: { name: 'db', causes } }
    const quiet = withoutQuotes(failure(422, status)) as ApiFailure
    expect(isRefused(quiet)).toBe(true)
    expect([quiet.code, quiet.reason, quiet.asked]).toEqual([422, 'Invalid', asked])
    expect(quiet.message).toContain(
      'the API server refused it (422 Invalid) because of data.x (FieldValueInvalid)',
    )
    expect(quiet.status.details).toEqual({ name: 'db', causes: [{ field: 'data.x' }] })
    expect(JSON.stringify([quiet.message, quiet.status])).not.toContain('hunter2')
  })

  it('still tells when to come back', () => {
    const quiet = withoutQuotes(new ApiFailure(asked, 500, { message: 'hunter2' }, 3000))
    expect((quiet as ApiFailure).retryAfterMs).toBe(3000)
    expect(String(quiet)).not.toContain('hunter2')
  })

  it('leaves alone what no server said', () => {
    const error = new ConnectionFailure(asked, 'cut off')
    expect(withoutQuotes(error)).toBe(error)
  })
})
