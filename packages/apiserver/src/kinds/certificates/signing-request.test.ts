import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readPem, toPem } from '@machinist/core/pem'
import { readSigningRequest } from './signing-request.ts'

const label = 'CERTIFICATE REQUEST'
const p256 = ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256']

function asked(subject: string, key: readonly string[] = p256, ...more: string[]): string {
  const options = ['-newkey', ...key, '-nodes', '-keyout', '/dev/null', '-subj', subject, ...more]
  return execFileSync('openssl', ['req', '-new', ...options], {
    stdio: ['ignore', 'pipe', 'ignore'],
  }).toString()
}

const derOf = (pem: string): Buffer => Buffer.from(readPem(pem).blocks[0]!.der)

describe('a signing request', () => {
  const pem = asked('/O=one/O=two/CN=someone')

  it('names whom it is for', () => {
    const organizations = ['one', 'two']
    expect(readSigningRequest(pem)).toEqual({ commonName: 'someone', organizations })
    const alone = readSigningRequest(asked('/CN=someone'))
    expect(alone).toEqual({ commonName: 'someone', organizations: [] })
  })

  it('may stand behind other text, with any line ends, and be followed by more', () => {
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
  ])('is proven by a key of %s', (_, key) => {
    const request = asked('/O=x/CN=y', key, '-addext', 'subjectAltName=DNS:a.example')
    expect(readSigningRequest(request)).toEqual({ commonName: 'y', organizations: ['x'] })
  })

  it('needs a curve that Go knows', () => {
    const request = asked('/CN=y', ['ec', '-pkeyopt', 'ec_paramgen_curve:secp256k1'])
    expect(readSigningRequest(request)).toEqual({ problem: 'x509: unsupported elliptic curve' })
  })

  it.each([
    [p256, 'x509: ECDSA verification failure'],
    [['rsa:2048'], 'crypto/rsa: verification error'],
    [['ed25519'], 'x509: Ed25519 verification failure'],
  ])('of %j with another signature is refused', (key, problem) => {
    const der = derOf(asked('/CN=someone', key))
    der[der.length - 5]! ^= 1
    expect(readSigningRequest(toPem(label, der))).toEqual({ problem })
  })

  it('with another subject is refused', () => {
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
  ])('is not this (case %#)', (text, problem) => {
    expect(readSigningRequest(text)).toEqual({ problem })
  })

  it('with a byte changed or cut off is read or refused, and never a surprise', () => {
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
