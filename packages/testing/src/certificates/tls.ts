import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly certificate: string
  readonly key: string
}

/** A certificate authority that uses openssl, independent of the code under test. */
export interface Authority extends KeyPair {
  /** A serving certificate for the loopback address. */
  issueServer(): KeyPair
  /** A client certificate; CN is the user and O the groups. */
  issueClient(user: string, ...groups: string[]): KeyPair
  /** An intermediate CA; `usages` restrict the certificates that it can issue. */
  issueAuthority(name: string, ...usages: string[]): Authority
}

const authorityExtensions = [
  'basicConstraints=critical,CA:TRUE',
  'keyUsage=critical,keyCertSign,cRLSign',
]

export function createAuthority(name: string): Authority {
  return authorityOf(
    issueWithOpenssl({
      subject: `/CN=${name}`,
      extensions: authorityExtensions,
    }),
  )
}

/** The authority of an existing certificate and key, for example from a file. */
export function authorityOf(pair: KeyPair): Authority {
  return {
    ...pair,
    issueServer: () =>
      issueWithOpenssl({
        subject: '/CN=loopback server',
        extensions: [
          'basicConstraints=critical,CA:FALSE',
          'subjectAltName=DNS:localhost,IP:127.0.0.1',
          'extendedKeyUsage=serverAuth',
        ],
        issuer: pair,
      }),
    issueClient: (user, ...groups) =>
      issueWithOpenssl({
        subject: `/CN=${user}${groups.map((group) => `/O=${group}`).join('')}`,
        extensions: ['basicConstraints=critical,CA:FALSE', 'extendedKeyUsage=clientAuth'],
        issuer: pair,
      }),
    issueAuthority: (name, ...usages) =>
      authorityOf(
        issueWithOpenssl({
          subject: `/CN=${name}`,
          extensions: [
            ...authorityExtensions,
            ...(usages.length > 0 ? [`extendedKeyUsage=${usages.join(',')}`] : []),
          ],
          issuer: pair,
        }),
      ),
  }
}

interface CertificateRequest {
  readonly subject: string
  readonly extensions: readonly string[]
  /** Self-signed without an issuer. */
  readonly issuer?: KeyPair
}

function issueWithOpenssl(request: CertificateRequest): KeyPair {
  const directory = mkdtempSync(join(tmpdir(), 'machinist-tls-'))
  const at = (name: string): string => join(directory, name)
  try {
    const signing: string[] = []
    if (request.issuer) {
      writeFileSync(at('ca.crt'), request.issuer.certificate)
      writeFileSync(at('ca.key'), request.issuer.key, { mode: 0o600 })
      signing.push('-CA', at('ca.crt'), '-CAkey', at('ca.key'))
    }
    const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
    const files = ['-keyout', at('key'), '-out', at('crt')]
    const extensions = request.extensions.flatMap((extension) => ['-addext', extension])
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        ...newKey,
        ...signing,
        ...files,
        '-days',
        '2',
        '-subj',
        request.subject,
        ...extensions,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    return { certificate: readFileSync(at('crt'), 'utf8'), key: readFileSync(at('key'), 'utf8') }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
