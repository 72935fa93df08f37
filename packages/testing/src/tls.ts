import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly certificate: string
  readonly key: string
}

/** A certificate authority made by openssl: a maker of certificates that shares no code with ours. */
export interface Authority extends KeyPair {
  /** A certificate for a server that is reached on the loopback. */
  issueServer(): KeyPair
  /** A client certificate; Kubernetes reads CN as the user and O as its groups. */
  issueClient(user: string, ...groups: string[]): KeyPair
  /** An authority that this one vouches for; `usages` narrow what it may vouch for itself. */
  issueAuthority(name: string, ...usages: string[]): Authority
}

const authorityExtensions = [
  'basicConstraints=critical,CA:TRUE',
  'keyUsage=critical,keyCertSign,cRLSign',
]

export function createAuthority(name: string): Authority {
  return authorityOf(
    openssl({
      subject: `/CN=${name}`,
      extensions: authorityExtensions,
    }),
  )
}

/** The authority whose certificate and key these are, e.g. read back from a file. */
export function authorityOf(pair: KeyPair): Authority {
  return {
    ...pair,
    issueServer: () =>
      openssl({
        subject: '/CN=loopback server',
        extensions: [
          'basicConstraints=critical,CA:FALSE',
          'subjectAltName=DNS:localhost,IP:127.0.0.1',
          'extendedKeyUsage=serverAuth',
        ],
        issuer: pair,
      }),
    issueClient: (user, ...groups) =>
      openssl({
        subject: `/CN=${user}${groups.map((group) => `/O=${group}`).join('')}`,
        extensions: ['basicConstraints=critical,CA:FALSE', 'extendedKeyUsage=clientAuth'],
        issuer: pair,
      }),
    issueAuthority: (name, ...usages) =>
      authorityOf(
        openssl({
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
  /** Without one the certificate signs itself. */
  readonly issuer?: KeyPair
}

function openssl(request: CertificateRequest): KeyPair {
  const directory = mkdtempSync(join(tmpdir(), 'machinist-tls-'))
  const at = (name: string): string => join(directory, name)
  try {
    const signing: string[] = []
    if (request.issuer) {
      writeFileSync(at('ca.crt'), request.issuer.certificate)
      writeFileSync(at('ca.key'), request.issuer.key, { mode: 0o600 })
      signing.push('-CA', at('ca.crt'), '-CAkey', at('ca.key'))
    }
    const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
    const files = ['-keyout', at('key'), '-out', at('crt')]
    const extensions = request.extensions.flatMap((extension) => ['-addext', extension])
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        ...fresh,
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
