import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Authority } from '@machinist/testing/certificates/tls'
import { createAuthority } from '@machinist/testing/certificates/tls'
import { certificateUser } from './client-certificate.ts'

const authority = createAuthority('clients')
const parsed = (pem: string): X509Certificate => new X509Certificate(pem)
const ca = parsed(authority.certificate)
const jane = parsed(authority.issueClient('jane', 'staff', 'ops').certificate)
const validFrom = jane.validFromDate.getTime()

describe('the user of a client certificate', () => {
  it('is its CN, with the groups O; its fingerprint is the credential id', () => {
    const digest = jane.fingerprint256.replaceAll(':', '').toLowerCase()
    expect(digest).toMatch(/^[0-9a-f]{64}$/)
    expect(certificateUser(jane, [ca], validFrom)).toEqual({
      username: 'jane',
      groups: ['staff', 'ops', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${digest}`] },
    })
  })

  it('is undefined if the certificate or its CA is expired or not yet valid', () => {
    expect(certificateUser(jane, [ca], validFrom - 1000)).toBeUndefined()
    const validTo = jane.validToDate.getTime()
    expect(certificateUser(jane, [ca], validTo - 1000)?.username).toBe('jane')
    expect(certificateUser(jane, [ca], validTo + 1)).toBeUndefined()
  })

  it('is undefined for a CA that did not sign it, even with the same name', () => {
    const other = parsed(createAuthority('clients').certificate)
    expect(certificateUser(jane, [other], validFrom)).toBeUndefined()
    expect(certificateUser(jane, [], validFrom)).toBeUndefined()
    expect(certificateUser(jane, [other, ca], validFrom)?.username).toBe('jane')
  })

  it('is undefined for a server certificate', () => {
    const server = parsed(authority.issueServer().certificate)
    expect(certificateUser(server, [ca], server.validFromDate.getTime())).toBeUndefined()
  })

  it('is undefined if the issuer is not a CA', () => {
    const pair = authority.issueClient('middle')
    const signed = signedBy(pair, '/CN=mallory/O=system:masters')
    expect(certificateUser(signed, [parsed(pair.certificate)], validFrom + 1000)).toBeUndefined()
  })

  it('is found through intermediates in any order', () => {
    const middle = authority.issueAuthority('middle')
    const lower = middle.issueAuthority('lower')
    const deep = parsed(lower.issueClient('deep').certificate)
    const [a, b] = [parsed(middle.certificate), parsed(lower.certificate)]
    const soon = deep.validFromDate.getTime() + 1000
    for (const between of [
      [a, b],
      [b, a],
      [ca, b, jane, a],
    ]) {
      expect(certificateUser(deep, [ca], soon, between)?.username).toBe('deep')
    }
    expect(certificateUser(deep, [ca], soon, [a])).toBeUndefined()
    expect(certificateUser(deep, [ca], soon, [b])).toBeUndefined()
    expect(certificateUser(deep, [], soon, [a, b, ca])).toBeUndefined()
    expect(certificateUser(deep, [a], soon, [b])?.username).toBe('deep')
  })

  it('is undefined if an intermediate is not a CA, for servers only, or expired', () => {
    const pair = authority.issueClient('middle')
    const signed = signedBy(pair, '/CN=mallory')
    const soon = signed.validFromDate.getTime() + 1000
    expect(certificateUser(signed, [ca], soon, [parsed(pair.certificate)])).toBeUndefined()
    const servers = authority.issueAuthority('servers', 'serverAuth')
    const client = parsed(servers.issueClient('client').certificate)
    expect(certificateUser(client, [ca], soon, [parsed(servers.certificate)])).toBeUndefined()
    const middle = authority.issueAuthority('middle')
    const leaf = parsed(middle.issueClient('leaf').certificate)
    const over = parsed(middle.certificate).validToDate.getTime() + 1
    expect(certificateUser(leaf, [ca], soon + 1000, [parsed(middle.certificate)])).toBeDefined()
    expect(certificateUser(leaf, [ca], over, [parsed(middle.certificate)])).toBeUndefined()
  })

  it('is undefined if there are too many intermediates', () => {
    const middle = authority.issueAuthority('middle')
    const leaf = parsed(middle.issueClient('leaf').certificate)
    const soon = leaf.validFromDate.getTime() + 1000
    const heap = [jane, jane, jane, jane, parsed(middle.certificate)]
    expect(certificateUser(leaf, [ca], soon, heap)).toBeUndefined()
    expect(certificateUser(leaf, [ca], soon, heap.slice(1))?.username).toBe('leaf')
  })

  it('has the unescaped name, with any characters', () => {
    const odd = signedBy(authority, '/CN=a=b, c\\/d\\+e/O=x,O=y')
    expect(certificateUser(odd, [ca], odd.validFromDate.getTime())).toMatchObject({
      username: 'a=b, c/d+e',
      groups: ['x,O=y', 'system:authenticated'],
    })
  })

  it('is the last CN of several, and undefined without one', () => {
    const two = signedBy(authority, '/CN=first/CN=second')
    expect(certificateUser(two, [ca], two.validFromDate.getTime())?.username).toBe('second')
    const none = signedBy(authority, '/O=staff')
    expect(certificateUser(none, [ca], none.validFromDate.getTime())).toBeUndefined()
  })
})

/** A certificate without an extended key usage. */
function signedBy(
  issuer: Pick<Authority, 'certificate' | 'key'>,
  subject: string,
): X509Certificate {
  const directory = mkdtempSync(join(tmpdir(), 'machinist-client-'))
  const at = (name: string): string => join(directory, name)
  try {
    writeFileSync(at('ca.crt'), issuer.certificate)
    writeFileSync(at('ca.key'), issuer.key)
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
    const files = [
      '-keyout',
      at('key'),
      '-out',
      at('crt'),
      '-CA',
      at('ca.crt'),
      '-CAkey',
      at('ca.key'),
    ]
    const plain = ['-addext', 'basicConstraints=critical,CA:FALSE']
    execFileSync('openssl', ['req', '-x509', ...key, ...files, '-subj', subject, ...plain], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    return parsed(readFileSync(at('crt'), 'utf8'))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
