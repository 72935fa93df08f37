import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAuthority } from '@machinist/testing/certificates/tls'
import { thrownBy } from '@machinist/testing/thrown-by'
import { InvalidInput } from '@machinist/core/errors'
import { readPem } from '@machinist/core/encoding/pem'
import { isValidAt, readCertificate } from './certificate.ts'
import { bundlePem, readBundle } from './bundle.ts'

/** Created with openssl 3. The tests do not depend on the current time. */
const fixed = `-----BEGIN CERTIFICATE-----
MIICBjCCAaugAwIBAgIDChssMAoGCCqGSM49BAMCMDMxDDAKBgNVBAoMA29uZTET
MBEGA1UECgwKdHdvLCB0aHJlZTEOMAwGA1UEAwwFZml4ZWQwHhcNMjYxMTE1MjIz
MDE2WhcNMjcxMTE1MjIzMDE2WjAzMQwwCgYDVQQKDANvbmUxEzARBgNVBAoMCnR3
bywgdGhyZWUxDjAMBgNVBAMMBWZpeGVkMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
QgAEOm8wxbcIhwd+PXbUx8uzkJISX07zdYsiZsDK+Xd0sabgZA0oGdnMMRowpcjE
hgnWdzWuOLbHG7B8FZpoNZ2gJKOBrTCBqjAMBgNVHRMBAf8EAjAAMCcGA1UdJQQg
MB4GCCsGAQUFBwMBBggrBgEFBQcDAgYIKwYBBQUHAwMwUgYDVR0RBEswSYIJbG9j
YWxob3N0gg0qLmV4YW1wbGUuY29thwR/AAABhxD9AAAAAAAAAAAAAAAAAAABgQVh
QGIuY4IOZXZpbCwgRE5TOmdvb2QwHQYDVR0OBBYEFKmUqkddvlJcAkM0tXpqo/D2
Hh/DMAoGCCqGSM49BAMCA0kAMEYCIQCmVQXI179SVBfJoKtDOfXJzu/y8vMaNU+8
D3M9hJJi2wIhAPnlfb2fsVZxY+Nyg6eO3BY6J9GvT4oa/8nAjjpYCLoA
-----END CERTIFICATE-----
`

describe('a certificate', () => {
  it('is the same object in all bundles', () => {
    const [one] = readBundle(fixed).bundle.values()
    const [other] = readBundle(`# comment\n${fixed}${fixed}`).bundle.values()
    expect(other).toBe(one)
  })

  it('is parsed', () => {
    const { x509: _, ...facts } = readCertificate(fixed)
    expect(facts).toEqual({
      fingerprint: 'adfcdef84f07bfadac34a10ded830e7d02329e41d96dc4c8ce5e593951d6a4e4',
      subject: 'O=one\nO=two\\, three\nCN=fixed',
      issuer: 'O=one\nO=two\\, three\nCN=fixed',
      commonName: 'fixed',
      organizations: ['one', 'two, three'],
      serial: '0a1b2c',
      notBefore: Date.parse('2026-11-15T22:30:16Z'),
      notAfter: Date.parse('2027-11-15T22:30:16Z'),
      // The last one is a single name that looks like two.
      dnsNames: ['localhost', '*.example.com', 'evil, DNS:good'],
      ipAddresses: ['127.0.0.1', 'fd00::1'],
      isCa: false,
      usages: ['server', 'client', 'other'],
      pem: fixed,
    })
  })

  it('is the same from PEM and from DER', () => {
    const [block] = readPem(fixed).blocks
    expect(readCertificate(block!.der).fingerprint).toBe(readCertificate(fixed).fingerprint)
  })

  it('is valid from notBefore to notAfter, both included', () => {
    const certificate = readCertificate(fixed)
    expect(isValidAt(certificate, certificate.notBefore - 1)).toBe(false)
    expect(isValidAt(certificate, certificate.notBefore)).toBe(true)
    expect(isValidAt(certificate, certificate.notAfter)).toBe(true)
    expect(isValidAt(certificate, certificate.notAfter + 1)).toBe(false)
  })

  it('of a CA has isCa and no usages', () => {
    const authority = readCertificate(createAuthority('the CA').certificate)
    expect(authority).toMatchObject({ isCa: true, commonName: 'the CA', usages: undefined })
  })

  it('is rejected with InvalidInput, for any bytes', () => {
    const der = readPem(fixed).blocks[0]!.der
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.tuple(fc.nat(der.length - 1), fc.nat(255)).map(([at, value]) => {
        const changed = Uint8Array.from(der)
        changed[at] = value
        return changed
      }),
      fc.nat(der.length - 1).map((length) => Uint8Array.from(der.subarray(0, length))),
    )
    fc.assert(
      fc.property(bytes, (input) => {
        const thrown = thrownBy(() => readCertificate(input))
        expect(thrown === undefined || thrown instanceof InvalidInput).toBe(true)
      }),
      { numRuns: 500 },
    )
    expect(thrownBy(() => readCertificate('nonsense'))).toMatchObject({
      message: 'not a certificate',
    })
  })

  it('is formatted as PEM', () => {
    expect(bundlePem(readBundle(fixed).bundle)).toBe(fixed)
  })
})
