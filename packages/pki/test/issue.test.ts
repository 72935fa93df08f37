import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { connect, createServer } from 'node:tls'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { InvalidInput } from '@machinist/core/errors'
import { sameJson } from '@machinist/core/encoding/json'
import { readPem, toPem } from '@machinist/core/encoding/pem'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { createAuthority as opensslAuthority } from '@machinist/testing/certificates/tls'
import { openssl } from '@machinist/testing/certificates/openssl'
import type { CertificateRequest } from '../src/certificate-request.ts'
import { readRequest } from '../src/certificate-request.ts'
import type { Certificate } from '../src/certificate.ts'
import { readCertificate } from '../src/certificate.ts'
import { verifyChain } from '../src/chain.ts'
import type { KeyPair, LeafTemplate } from '../src/issue.ts'
import { createAuthority, issueCertificate, signRequest, validFor } from '../src/issue.ts'

const hour = 3_600_000
const validity = validFor(systemClock, hour)
const server: LeafTemplate = {
  commonName: 'loopback',
  dnsNames: ['localhost'],
  ipAddresses: ['127.0.0.1', '::1'],
  usages: ['server'],
  validity,
}
const client: LeafTemplate = {
  commonName: 'system:node:n1',
  organizations: ['system:nodes', 'a, b=c'],
  usages: ['client'],
  validity,
}
const verify = (authority: KeyPair, certificate: string, ...more: string[]): string =>
  openssl(
    { 'ca.crt': authority.certificate, 'leaf.crt': certificate },
    'verify',
    '-x509_strict',
    ...more,
    '-CAfile',
    'ca.crt',
    'leaf.crt',
  ).printed
const text = (certificate: string): string =>
  openssl({ crt: certificate }, 'x509', '-noout', '-text', '-nameopt', 'RFC2253', '-in', 'crt')
    .printed

let authority: KeyPair
beforeAll(async () => {
  authority = await createAuthority({ name: 'the CA', validity: validFor(systemClock, 24 * hour) })
})

describe('a CA', () => {
  it('is accepted by openssl', () => {
    const shown = text(authority.certificate)
    expect(shown).toContain('Issuer: CN=the CA\n')
    expect(shown).toContain('Subject: CN=the CA\n')
    expect(shown).toMatch(/Basic Constraints: critical\s+CA:TRUE, pathlen:0\n/)
    expect(shown).toMatch(/Key Usage: critical\s+Digital Signature, Certificate Sign, CRL Sign\n/)
    expect(shown).toContain('NIST CURVE: P-256')
    expect(verify(authority, authority.certificate)).toBe('leaf.crt: OK\n')
    expect(authority.key).toMatch(/^-----BEGIN PRIVATE KEY-----\n/)
  })

  it.each(['ecdsa-p256', 'rsa-2048', 'rsa-4096'] as const)(
    'with a key of type %s signs for keys of both types',
    async (keyKind) => {
      const signer = await createAuthority({ name: 'ca', validity, keyKind })
      for (const leafKind of ['ecdsa-p256', 'rsa-2048'] as const) {
        const { certificate } = await issueCertificate(signer, { ...server, keyKind: leafKind })
        expect(verify(signer, certificate, '-purpose', 'sslserver')).toBe('leaf.crt: OK\n')
      }
    },
    60_000,
  )

  it('created by openssl signs with its exact subject', async () => {
    const foreign = opensslAuthority('a foreign CA')
    const { certificate } = await issueCertificate(foreign, { ...client, validity })
    expect(verify(foreign, certificate, '-purpose', 'sslclient')).toBe('leaf.crt: OK\n')
  })

  it('does not sign with a foreign key', async () => {
    const other = await createAuthority({ name: 'other', validity })
    const mixed = { certificate: authority.certificate, key: other.key }
    await expect(issueCertificate(mixed, client)).rejects.toThrow(
      'the private key does not belong to the CA "the CA"',
    )
    const broken = { certificate: authority.certificate, key: 'c2VjcmV0' }
    await expect(issueCertificate(broken, client)).rejects.toThrow(
      'not a private key in PEM, or it is encrypted with a passphrase',
    )
  })
})

describe('a certificate', () => {
  it('for a server has exactly the requested names', async () => {
    const { certificate } = await issueCertificate(authority, server)
    const shown = text(certificate)
    expect(shown).toContain('Subject: CN=loopback\n')
    expect(shown).toContain('DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1\n')
    expect(shown).toMatch(/Extended Key Usage: \s+TLS Web Server Authentication\n/)
    expect(shown).toMatch(/Key Usage: critical\s+Digital Signature\n/)
    expect(shown).toMatch(/Basic Constraints: critical\s+CA:FALSE\n/)
    expect(verify(authority, certificate, '-purpose', 'sslserver')).toBe('leaf.crt: OK\n')
    expect(() => verify(authority, certificate, '-purpose', 'sslclient')).toThrow('Command failed')
  })

  it('for a client has its groups, with any characters', async () => {
    const { certificate } = await issueCertificate(authority, client)
    expect(text(certificate)).toContain('Subject: CN=system:node:n1,O=a\\, b=c,O=system:nodes\n')
    expect(readCertificate(certificate)).toMatchObject({
      commonName: 'system:node:n1',
      organizations: ['system:nodes', 'a, b=c'],
      usages: ['client'],
      isCa: false,
    })
  })

  it('has a unique serial number and the requested validity, from the given clock', async () => {
    const clock = new VirtualClock(Date.parse('2030-06-01T12:00:00.999Z'))
    const old = await createAuthority({ name: 'old', validity: validFor(clock, hour) })
    const wish = { ...client, validity: validFor(clock, hour / 2) }
    const all = await Promise.all([1, 2, 3].map(() => issueCertificate(old, wish)))
    const read = all.map(({ certificate }) => readCertificate(certificate))
    expect(new Set(read.map(({ serial }) => serial)).size).toBe(3)
    expect(read[0]).toMatchObject({
      notBefore: Date.parse('2030-06-01T11:55:00Z'),
      notAfter: Date.parse('2030-06-01T12:30:00Z'),
    })
    expect(read[0]!.serial).toMatch(/^[4-7][0-9a-f]{31}$/)
  })

  it('never outlives its CA, and is not issued by an expired CA', async () => {
    const clock = new VirtualClock(Date.parse('2030-06-01T12:00:00Z'))
    const brief = await createAuthority({ name: 'brief', validity: validFor(clock, hour) })
    const long = await issueCertificate(brief, { ...client, validity: validFor(clock, 9 * hour) })
    expect(readCertificate(long.certificate).notAfter).toBe(Date.parse('2030-06-01T13:00:00Z'))
    clock.jump(3 * hour)
    await expect(
      issueCertificate(brief, { ...client, validity: validFor(clock, hour) }),
    ).rejects.toThrow('the validity ends before it starts')
  })

  it.each([
    [{ dnsNames: ['a b'] }, '"a b" is not a DNS name'],
    [{ dnsNames: [''] }, '"" is not a DNS name'],
    [{ dnsNames: ['ü.example'] }, '"ü.example" is not a DNS name'],
    [{ ipAddresses: ['localhost'] }, '"localhost" is not an IP address'],
    [{ ipAddresses: ['1.2.3'] }, '"1.2.3" is not an IP address'],
    [{ ipAddresses: ['256.1.1.1'] }, '"256.1.1.1" is not an IP address'],
    [{ ipAddresses: ['1:2'] }, '"1:2" is not an IP address'],
  ])('is not issued for %j', async (names, message) => {
    const made = issueCertificate(authority, { ...server, ...names })
    await expect(made).rejects.toThrow(new InvalidInput(message))
  })
})

describe('a TLS handshake', () => {
  it('succeeds between a server and a client of the same CA, with mutual authentication', async () => {
    const [served, sent] = await Promise.all([
      issueCertificate(authority, server),
      issueCertificate(authority, { ...client, keyKind: 'rsa-2048' }),
    ])
    const ca = authority.certificate
    const listening = createServer({
      cert: served.certificate,
      key: served.key,
      ca,
      requestCert: true,
      rejectUnauthorized: true,
    })
    const met = new Promise<TLSSocket>((resolve) => listening.once('secureConnection', resolve))
    await once(listening.listen(0, '127.0.0.1'), 'listening')
    const { port } = listening.address() as AddressInfo
    const calling = connect({
      port,
      host: '127.0.0.1',
      ca,
      cert: sent.certificate,
      key: sent.key,
    })
    try {
      const [theirs] = await Promise.all([met, once(calling, 'secureConnect')])
      expect(calling.authorized).toBe(true)
      expect(theirs.authorized).toBe(true)
      expect(theirs.getPeerX509Certificate()?.subject).toContain('CN=system:node:n1')
      theirs.destroy()
    } finally {
      calling.destroy()
      listening.close()
    }
  })
})

function readOrThrown(pem: string): unknown {
  try {
    return readRequest(pem)
  } catch (error) {
    return error
  }
}

describe('a certificate request', () => {
  const request = (...more: string[]): { csr: string; key: string } => {
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
    const made = openssl({}, 'req', '-new', ...key, '-keyout', 'key', '-out', 'csr', ...more)
    return { csr: made.read('csr'), key: made.read('key') }
  }
  const kubelet = (): { csr: string; key: string } =>
    request(
      '-subj',
      '/O=system:nodes/CN=system:node:n1',
      '-addext',
      'subjectAltName=DNS:n1.example.com,IP:10.0.0.1,IP:fd00::1',
    )

  it('is parsed', () => {
    expect(readRequest(kubelet().csr)).toMatchObject({
      commonName: 'system:node:n1',
      organizations: ['system:nodes'],
      dnsNames: ['n1.example.com'],
      ipAddresses: ['10.0.0.1', expect.stringMatching(/^fd00:/)],
    })
  })

  it('is signed with the usages of the CA and the key of the requester', () => {
    const { csr, key } = kubelet()
    const certificate = signRequest(authority, csr, {
      usages: ['server', 'client'],
      validity,
    })
    expect(verify(authority, certificate, '-purpose', 'sslclient')).toBe('leaf.crt: OK\n')
    expect(verify(authority, certificate, '-purpose', 'sslserver')).toBe('leaf.crt: OK\n')
    const shown = text(certificate)
    expect(shown).toContain('Subject: CN=system:node:n1,O=system:nodes\n')
    expect(shown).toContain(
      'DNS:n1.example.com, IP Address:10.0.0.1, IP Address:FD00:0:0:0:0:0:0:1',
    )
    const ofCertificate = openssl({ crt: certificate }, 'x509', '-noout', '-pubkey', '-in', 'crt')
    const ofKey = openssl({ key }, 'pkey', '-pubout', '-in', 'key')
    expect(ofCertificate.printed).toBe(ofKey.printed)
  })

  it('never yields a CA certificate', () => {
    const wish = ['-addext', 'basicConstraints=critical,CA:TRUE', '-addext', 'keyUsage=keyCertSign']
    const { csr } = request('-subj', '/CN=mallory', ...wish)
    const certificate = signRequest(authority, csr, { usages: ['client'], validity })
    expect(readCertificate(certificate)).toMatchObject({ isCa: false, usages: ['client'] })
    expect(text(certificate)).not.toContain('Certificate Sign')
  })

  it('that is forged, weak or malformed is rejected', () => {
    const signed = Buffer.from(readPem(kubelet().csr).blocks[0]!.der).toString('latin1')
    const forged = Buffer.from(signed.replace('node:n1', 'node:n2'), 'latin1')
    expect(() => readRequest(toPem('CERTIFICATE REQUEST', forged))).toThrow(
      'invalid certificate request: x509: ECDSA verification failure',
    )
    const weakKey = ['-newkey', 'rsa:1024', '-nodes', '-keyout', 'key', '-out', 'csr']
    const weak = openssl({}, 'req', '-new', ...weakKey, '-subj', '/CN=weak')
    expect(() => readRequest(weak.read('csr'))).toThrow('RSA keys must have at least 2048 bits')
    expect(() => readRequest(authority.certificate)).toThrow(
      'expected exactly one PEM block "CERTIFICATE REQUEST"',
    )
    const mail = request('-subj', '/CN=x', '-addext', 'subjectAltName=email:a@b.c')
    expect(() => readRequest(mail.csr)).toThrow('alternative names of type email are not supported')
  })

  it('with any changed byte is rejected or yields the same content', () => {
    const { csr } = kubelet()
    const [block] = readPem(csr).blocks
    const { publicKey, ...names } = readRequest(csr)
    const changes = fc.tuple(fc.nat(block!.der.length - 1), fc.integer({ min: 1, max: 255 }))
    fc.assert(
      fc.property(changes, ([at, flip]) => {
        const changed = Uint8Array.from(block!.der)
        changed[at]! ^= flip
        const read = readOrThrown(toPem('CERTIFICATE REQUEST', changed))
        // Some bytes outside the signed part are not significant, such as the encoding of a length.
        const same = sameJson({ ...(read as object), publicKey: undefined }, names)
        const sameKey = same && (read as CertificateRequest).publicKey.equals(publicKey)
        expect(read instanceof InvalidInput || sameKey).toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})

describe('a chain', () => {
  const now = systemClock.now()

  it('ends at a trusted certificate, within its validity and for its usage', async () => {
    const { certificate } = await issueCertificate(authority, client)
    const leaf = readCertificate(certificate)
    const root = readCertificate(authority.certificate)
    const stranger = readCertificate(opensslAuthority('the CA').certificate)
    expect(verifyChain(leaf, [stranger, root], { at: now, usage: 'client' })).toEqual({
      chain: [leaf, root],
    })
    const problemOf = (...question: Parameters<typeof verifyChain>): unknown => {
      const result = verifyChain(...question)
      return 'problem' in result ? result.problem : undefined
    }
    expect(problemOf(leaf, [stranger], { at: now })).toBe(
      'certificate "system:node:n1" is not trusted: no trusted certificate issued it',
    )
    expect(problemOf(leaf, [], { at: now })).toBe(
      'certificate "system:node:n1" is not trusted: no trusted certificate issued it',
    )
    expect(problemOf(leaf, [root], { at: now, usage: 'server' })).toBe(
      'certificate "system:node:n1" is not valid for a server',
    )
    expect(problemOf(leaf, [root], { at: leaf.notAfter + 1 })).toBe(
      'certificate "system:node:n1" has expired',
    )
    expect(problemOf(leaf, [root], { at: leaf.notBefore - 1 })).toBe(
      'certificate "system:node:n1" is not valid yet',
    )
    expect(problemOf(leaf, [{ ...root, notAfter: now - 1 }], { at: now })).toBe(
      'certificate "system:node:n1" is not trusted: its issuer is not valid at this time',
    )
  })

  it('may include intermediates, but only CAs', async () => {
    const root = opensslAuthority('root')
    const files = { 'ca.crt': root.certificate, 'ca.key': root.key }
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1']
    const out = ['-keyout', 'key', '-out', 'crt', '-CA', 'ca.crt', '-CAkey', 'ca.key']
    const as = ['-subj', '/CN=middle', '-addext', 'basicConstraints=critical,CA:TRUE']
    const usage = ['-addext', 'keyUsage=critical,keyCertSign']
    const middle = openssl(files, 'req', '-x509', ...key, ...out, ...as, ...usage)
    const pair = { certificate: middle.read('crt'), key: middle.read('key') }
    const issued = await issueCertificate(pair, client)
    const [leaf, between, top] = [issued.certificate, pair.certificate, root.certificate].map(
      (pem) => readCertificate(pem),
    ) as [Certificate, Certificate, Certificate]
    const at = Math.max(leaf.notBefore, between.notBefore)
    expect(verifyChain(leaf, [top], { at, intermediates: [between] })).toEqual({
      chain: [leaf, between, top],
    })
    expect(verifyChain(leaf, [top], { at })).toHaveProperty('problem')
    const notOne = { ...between, isCa: false }
    expect(verifyChain(leaf, [top], { at, intermediates: [notOne] })).toHaveProperty('problem')
  })
})

describe('names', () => {
  it('survive a round trip, with any characters', async () => {
    const authority = await createAuthority({ name: 'names', validity })
    const tricky = fc.string({
      minLength: 1,
      maxLength: 12,
      unit: fc.constantFrom(...Array.from('aO=C\\+ ,"#;<>\n\tü日/')),
    })
    const name = fc.oneof(tricky, fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }))
    await fc.assert(
      fc.asyncProperty(
        name,
        fc.array(name, { maxLength: 3 }),
        async (commonName, organizations) => {
          const { certificate } = await issueCertificate(authority, {
            ...client,
            commonName,
            organizations,
          })
          expect(readCertificate(certificate)).toMatchObject({ commonName, organizations })
        },
      ),
    )
  })

  it('are parsed from multi-valued parts', () => {
    const key = [
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      'key',
      '-out',
      'crt',
    ]
    const made = openssl(
      {},
      'req',
      '-x509',
      ...key,
      '-subj',
      '/O=a/CN=one+O=b/CN=last',
      '-multivalue-rdn',
    )
    expect(readCertificate(made.read('crt'))).toMatchObject({
      commonName: 'last',
      organizations: ['a', 'b'],
    })
  })
})
