import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiFailure } from '../failure.ts'
import { apiFailure, connectionFailure, eventFailure, isTlsFailure } from './transport-failure.ts'

const request = { method: 'GET', path: '/x' }

describe('an error response', () => {
  it('has the retry delay of the Status or the header', () => {
    const wait = (body: object, retryAfter?: string): number | undefined =>
      apiFailure(request, { code: 429, body: Buffer.from(JSON.stringify(body)), retryAfter })
        .retryAfterMs
    const status = { kind: 'Status', details: { retryAfterSeconds: 1 } }
    expect([
      wait(status),
      wait(status, '7'),
      wait({ kind: 'Status' }, '7'),
      wait({}, '0'),
      wait({}, 'Fri, 31 Dec 1999 23:59:59 GMT'),
      wait({}, '-1'),
      wait({}, '9'.repeat(400)),
      wait({}),
    ]).toEqual([1000, 1000, 7000, 0, undefined, undefined, undefined, undefined])
  })

  it('with any body is an ApiFailure with the code of the response', () => {
    const odd = fc.oneof(
      fc.uint8Array(),
      fc
        .record({
          kind: fc.constant('Status'),
          code: fc.jsonValue(),
          reason: fc.jsonValue(),
          message: fc.jsonValue(),
          metadata: fc.jsonValue(),
          details: fc.oneof(
            fc.jsonValue(),
            fc.record({ causes: fc.jsonValue(), uid: fc.jsonValue() }),
          ),
        })
        .map((status) => Buffer.from(JSON.stringify(status))),
    )
    fc.assert(
      fc.property(odd, fc.integer({ min: 300, max: 599 }), (body, code) => {
        const failure = apiFailure(request, { code, body })
        expect(failure).toBeInstanceOf(ApiFailure)
        expect(failure.code).toBe(code)
        expect(typeof failure.reason).toBe('string')
        expect(failure.message.startsWith('GET /x: ')).toBe(true)
        expect(failure.causes.every((cause) => typeof cause === 'object')).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  it('in a watch event has the code of its Status', () => {
    expect(eventFailure(request, { kind: 'Status', code: 410, reason: 'Expired' })).toMatchObject({
      code: 410,
      reason: 'Expired',
    })
    expect(eventFailure(request, undefined).code).toBe(500)
  })
})

describe('a failed connection', () => {
  const failed = (error: unknown): string => connectionFailure(request, 'h:1', error).message
  const withCode = (code: string, message: string): Error =>
    Object.assign(new Error(message), { code })

  it('is described', () => {
    expect(failed(withCode('ECONNRESET', 'aborted'))).toBe(
      'GET /x: the connection to h:1 was reset (ECONNRESET)',
    )
    expect(failed(withCode('CERT_HAS_EXPIRED', 'certificate has expired'))).toBe(
      'GET /x: TLS handshake with h:1 failed: certificate has expired (CERT_HAS_EXPIRED)',
    )
    expect(failed(withCode('ENOTFOUND', 'getaddrinfo ENOTFOUND h'))).toBe(
      'GET /x: cannot reach h:1: getaddrinfo ENOTFOUND h',
    )
    // All addresses failed: an AggregateError has a code and no message.
    const several = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })
    expect(failed(several)).toBe('GET /x: cannot reach h:1: ECONNREFUSED')
    expect(failed('odd')).toBe('GET /x: cannot reach h:1: odd')
  })

  it('contains nothing of the request', () => {
    const error = Object.assign(new Error('Parse Error\nrest'), {
      code: 'HPE_INVALID_CONSTANT',
      rawPacket: Buffer.from('secret'),
    })
    const failure = connectionFailure(request, 'h:1', error)
    expect(failure.message).toBe('GET /x: cannot reach h:1: Parse Error')
    expect(failure.cause).toBeUndefined()
  })

  it('is recognized as a TLS failure', () => {
    const codes = [
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'ERR_SSL_WRONG_VERSION_NUMBER',
    ]
    expect(codes.map((code) => isTlsFailure({ code }))).toEqual([true, true, true])
    expect(['ECONNRESET', 'EPIPE', ''].map((code) => isTlsFailure({ code }))).toEqual([
      false,
      false,
      false,
    ])
  })
})
