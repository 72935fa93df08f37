import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readPem, toPem } from '@machinist/core/encoding/pem'
import { readSigningRequest } from './signing-request.ts'

const label = 'CERTIFICATE REQUEST'
const p256 = ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256']

function requested(subject: string, key: readonly string[] = p256, ...more: string[]): string {
  const options = ['-newkey', ...key, '-nodes', '-keyout', '/dev/null', '-subj', subject, ...more]
  return execFileSync('openssl', ['req', '-new', ...options], {
    stdio: ['ignore', 'pipe', 'ignore'],
  }).toString()
}

const derOf = (pem: string): Buffer => Buffer.from(readPem(pem).blocks[0]!.der)

describe('a signing request', () => {
  const pem = requested('/O=one/O=two/CN=someone')

  it('has the names of its subject', () => {
    const organizations = ['one', 'two']
    expect(readSigningRequest(pem)).toEqual({ commonName: 'someone', organizations })
    const alone = readSigningRequest(requested('/CN=someone'))
    expect(alone).toEqual({ commonName: 'someone', organizations: [] })
  })

  it('can follow other text, with any line endings, and precede more', () => {
    const subject = { commonName: 'someone', organizations: ['one', 'two'] }
    expect(readSigningRequest(`hello\n${pem}`)).toEqual(subject)
    expect(readSigningRequest(pem.replaceAll('\n', '\r\n'))).toEqual(subject)
    expect(readSigningRequest(pem + pem)).toEqual(subject)
  })

  it.each([
    ['RSA', ['rsa:2048']],
    ['Ed25519', ['ed25519']],
    ['P-384', ['ec', '-pkeyopt', 'ec_paramgen_curve:P-384']],
    ['P-521', ['ec', '-pkeyopt', 'ec_paramgen_curve:P-521']],
  ])('is accepted with a key of %s', (_, key) => {
    const request = requested('/O=x/CN=y', key, '-addext', 'subjectAltName=DNS:a.example')
    expect(readSigningRequest(request)).toEqual({ commonName: 'y', organizations: ['x'] })
  })

  it('requires a curve that Go supports', () => {
    const request = requested('/CN=y', ['ec', '-pkeyopt', 'ec_paramgen_curve:secp256k1'])
    expect(readSigningRequest(request)).toEqual({ problem: 'x509: unsupported elliptic curve' })
  })

  it.each([
    [p256, 'x509: ECDSA verification failure'],
    [['rsa:2048'], 'crypto/rsa: verification error'],
    [['ed25519'], 'x509: Ed25519 verification failure'],
  ])('of %j with another signature is rejected', (key, problem) => {
    const der = derOf(requested('/CN=someone', key))
    der[der.length - 5]! ^= 1
    expect(readSigningRequest(toPem(label, der))).toEqual({ problem })
  })

  it('with another subject is rejected', () => {
    const der = derOf(pem)
    der[der.indexOf('two')]! ^= 1
    expect(readSigningRequest(toPem(label, der))).toEqual({
      problem: 'x509: ECDSA verification failure',
    })
  })

  it.each([
    ['', 'PEM block type must be CERTIFICATE REQUEST'],
    ['hello', 'PEM block type must be CERTIFICATE REQUEST'],
    [toPem('CERTIFICATE', derOf(pem)), 'PEM block type must be CERTIFICATE REQUEST'],
    [toPem(label, derOf(pem).subarray(0, 50)), 'asn1: syntax error: data truncated'],
    [
      toPem(label, Buffer.concat([derOf(pem), Buffer.alloc(2)])),
      'asn1: syntax error: trailing data',
    ],
  ])('is invalid (case %#)', (text, problem) => {
    expect(readSigningRequest(text)).toEqual({ problem })
  })

  it('with a changed or missing byte is parsed or rejected, and never throws', () => {
    const der = derOf(pem)
    const place = fc.nat(der.length - 1)
    fc.assert(
      fc.property(place, fc.integer({ min: 1, max: 255 }), place, (at, change, cut) => {
        const broken = Buffer.from(der)
        broken[at]! ^= change
        expect(readSigningRequest(toPem(label, broken))).toHaveProperty('problem')
        expect(readSigningRequest(toPem(label, der.subarray(0, cut)))).toHaveProperty('problem')
      }),
      { numRuns: 200 },
    )
  })
})
