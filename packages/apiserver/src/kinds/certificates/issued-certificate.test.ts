import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAuthority } from '@machinist/testing/certificates/tls'
import { readPem, toPem } from '@machinist/core/encoding/pem'
import { certificateProblem } from './issued-certificate.ts'

const { certificate } = createAuthority('a test')
const { der } = readPem(certificate).blocks[0]!

describe('an issued certificate', () => {
  it('is a certificate or a chain, also in one PEM block', () => {
    expect(certificateProblem(certificate)).toBeUndefined()
    expect(certificateProblem(certificate + certificate)).toBeUndefined()
    expect(certificateProblem(toPem('CERTIFICATE', Buffer.concat([der, der])))).toBeUndefined()
  })

  it.each([
    ['hello', 'must contain at least one CERTIFICATE PEM block'],
    [toPem('PRIVATE KEY', der), 'only CERTIFICATE PEM blocks are allowed, found "PRIVATE KEY"'],
    [toPem('CERTIFICATE', Buffer.from('hello')), 'x509: malformed certificate'],
    [toPem('CERTIFICATE', der.subarray(0, 80)), 'x509: malformed certificate'],
    [certificate + toPem('CERTIFICATE', Buffer.from('3000', 'hex')), 'x509: malformed certificate'],
    [certificate.replace('-----\n', '-----\nA: b\n\n'), 'no PEM block headers are permitted'],
  ])('is invalid (case %#)', (pem, problem) => {
    expect(certificateProblem(pem)).toBe(problem)
  })

  it('of any bytes is rejected with a known message', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 100 }), (bytes) => {
        expect(certificateProblem(toPem('CERTIFICATE', bytes))).toBe('x509: malformed certificate')
      }),
      { numRuns: 200 },
    )
  })
})
