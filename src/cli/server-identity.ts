import { join } from 'node:path'
import type { Clock } from '../base/clock.ts'
import { InvalidInput } from '../base/errors.ts'
import { readPem, toPem } from '../base/pem.ts'
import { readIfThere, realFiles } from '../kube/connection/files.ts'
import { readCertificate } from '../pki/certificate.ts'
import type { KeyPair } from '../pki/issue.ts'
import { writeSecretFile } from './durable-file.ts'

/** What makes an embedded API server the same one after a restart. */
export interface ServerIdentity {
  /** Signs the serving certificate and vouches for client certificates. */
  readonly authority: KeyPair
  readonly serving: KeyPair
  /** PEM; signs the tokens of service accounts. */
  readonly accountKey: string
  readonly adminToken: string
}

export interface IdentityOptions {
  /** Kept in here; made at the first start. */
  readonly directory: string
  /** The address that clients will use, besides the loopback ones. */
  readonly host: string
  readonly clock: Clock
}

const day = 86_400_000
const authorityLife = 3650 * day
const servingLife = 365 * day

/** The issuing library is loaded only when something has to be issued: every start but the first is quick. */
export async function loadIdentity(options: IdentityOptions): Promise<ServerIdentity> {
  const { directory } = options
  const authority = await keptPair(
    join(directory, 'authority.pem'),
    () => true,
    async () => {
      const { createAuthority, validFor } = await import('../pki/issue.ts')
      return createAuthority({
        name: 'machinist',
        validity: validFor(options.clock, authorityLife),
      })
    },
  )
  return {
    authority,
    serving: await loadServing(authority, options),
    accountKey: await kept(join(directory, 'service-accounts.key'), newAccountKey),
    adminToken: await kept(join(directory, 'admin.token'), newToken),
  }
}

/** The serving certificate as it is kept, or a new one when it has less than a third of its life left. */
export function loadServing(authority: KeyPair, options: IdentityOptions): Promise<KeyPair> {
  return keptPair(
    join(options.directory, 'serving.pem'),
    (pair) => isServable(pair, options),
    () => issueServing(authority, options),
  )
}

async function issueServing(
  authority: KeyPair,
  { host, clock }: IdentityOptions,
): Promise<KeyPair> {
  const { issueCertificate, validFor } = await import('../pki/issue.ts')
  return issueCertificate(authority, {
    commonName: 'machinist-apiserver',
    dnsNames: ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'],
    ipAddresses: [...new Set(['127.0.0.1', '::1', host])],
    usages: ['server'],
    validity: validFor(clock, servingLife),
  })
}

function isServable({ certificate }: KeyPair, { host, clock }: IdentityOptions): boolean {
  const { notBefore, notAfter, x509 } = readCertificate(certificate)
  const isFresh = notAfter - clock.now() >= (notAfter - notBefore) / 3
  return isFresh && x509.checkIP(host) !== undefined
}

async function newAccountKey(): Promise<string> {
  const { createKey, keyPem } = await import('../pki/keys.ts')
  return keyPem(await createKey())
}

async function newToken(): Promise<string> {
  const { createSecret } = await import('../pki/keys.ts')
  return createSecret()
}

/** Certificate and key are in one file, so that they can never be of two minds. */
async function keptPair(
  path: string,
  isGood: (pair: KeyPair) => boolean,
  make: () => Promise<KeyPair>,
): Promise<KeyPair> {
  const text = await readIfThere(realFiles, path)
  if (text !== undefined) {
    const pair = pairIn(text, path)
    if (isGood(pair)) return pair
  }
  const made = await make()
  await writeSecretFile(path, made.certificate.trimEnd() + '\n' + made.key)
  return made
}

/** What is damaged is never replaced in silence: whoever trusts the old authority would be locked out. */
function pairIn(text: string, path: string): KeyPair {
  const [certificate, key] = readPem(text).blocks
  if (!certificate || !key) {
    const remedy = 'restore it, or remove it to have a new one made'
    throw new InvalidInput(`${path} does not hold a certificate and its key: ${remedy}`)
  }
  return {
    certificate: toPem(certificate.label, certificate.der),
    key: toPem(key.label, key.der),
  }
}

async function kept(path: string, make: () => Promise<string>): Promise<string> {
  const text = await readIfThere(realFiles, path)
  if (text) return text
  const made = await make()
  await writeSecretFile(path, made)
  return made
}
