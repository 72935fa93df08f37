import { join } from 'node:path'
import type { Clock } from '@machinist/core/clock'
import { InvalidInput } from '@machinist/core/errors'
import { readPem, toPem } from '@machinist/core/encoding/pem'
import type { Certificate } from '@machinist/pki/certificate'
import { readCertificate } from '@machinist/pki/certificate'
import type { KeyPair } from '@machinist/pki/issue'
import { createKey, createSecret, keyPem, readKey } from '@machinist/pki/keys'
import { renewalOf } from '@machinist/pki/renewal'
import { readIfExists, writeSecretFile } from './durable-file.ts'

/** Keys and certificates that persist across restarts. */
export interface ServerIdentity {
  /** Signs the serving certificate and verifies client certificates. */
  readonly authority: KeyPair
  readonly serving: KeyPair
  /** PEM; signs service account tokens. */
  readonly accountKey: string
  readonly adminToken: string
}

export interface IdentityOptions {
  /** Where they are stored; created at the first start. */
  readonly directory: string
  /** The address that clients use, in addition to loopback addresses. */
  readonly host: string
  readonly clock: Clock
}

const day = 86_400_000
const authorityLife = 3650 * day
const servingLife = 365 * day

/** Whether a server has used this directory before. */
export async function hasIdentity({ directory }: IdentityOptions): Promise<boolean> {
  return (await readIfExists(join(directory, 'authority.pem'))) !== undefined
}

/** Loads the issuing library only when a certificate must be issued, so that restarts are fast. */
export async function loadIdentity(options: IdentityOptions): Promise<ServerIdentity> {
  const { directory } = options
  const authority = await keptAuthority(join(directory, 'authority.pem'), async () => {
    const { createAuthority, validFor } = await import('@machinist/pki/issue')
    return createAuthority({ name: 'machinist', validity: validFor(options.clock, authorityLife) })
  })
  return {
    authority,
    serving: await loadServing(authority, options),
    accountKey: await kept(join(directory, 'service-accounts.key'), newAccountKey),
    adminToken: await kept(join(directory, 'admin.token'), createSecret),
  }
}

/** The stored serving certificate, or a new one if it is about to expire. An unusable certificate is replaced. */
export async function loadServing(authority: KeyPair, options: IdentityOptions): Promise<KeyPair> {
  const text = await readIfExists(servingPath(options.directory))
  const kept = text === undefined ? undefined : pairOrNothing(text)
  if (kept && isServable(kept, authority, options)) return kept
  const made = await issueServing(authority, options)
  await storeServing(options.directory, made)
  return made
}

/** Stores the serving certificate for the next start. */
export function storeServing(directory: string, serving: KeyPair): Promise<void> {
  return writePair(servingPath(directory), serving)
}

/** Names of the server for clients on this machine, and the address for other clients. */
export function hostnamesOf(host: string): readonly string[] {
  return [...namesOf(host).dnsNames, ...namesOf(host).ipAddresses]
}

/** Whether the certificate covers the host that clients use. */
export function coversHost(host: string, { x509 }: Certificate): boolean {
  return (isAddress(host) ? x509.checkIP(host) : x509.checkHost(host)) !== undefined
}

const isAddress = (host: string): boolean => /^[\d.]+$|:/.test(host)

function namesOf(host: string): { dnsNames: string[]; ipAddresses: string[] } {
  const ownNames = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc']
  const ownAddresses = ['127.0.0.1', '::1']
  return isAddress(host)
    ? { dnsNames: ownNames, ipAddresses: [...new Set([...ownAddresses, host])] }
    : { dnsNames: [...new Set([...ownNames, host])], ipAddresses: ownAddresses }
}

async function issueServing(
  authority: KeyPair,
  { host, clock }: IdentityOptions,
): Promise<KeyPair> {
  const { issueCertificate, validFor } = await import('@machinist/pki/issue')
  return issueCertificate(authority, {
    commonName: 'machinist-apiserver',
    ...namesOf(host),
    usages: ['server'],
    validity: validFor(clock, servingLife),
  })
}

/** A certificate of another CA is kept while it is valid, since only that CA can renew it. */
function isServable(kept: KeyPair, authority: KeyPair, { host, clock }: IdentityOptions): boolean {
  const serving = usable(kept, host)
  if (!serving) return false
  const { x509: own } = readCertificate(authority.certificate)
  const isOurs = serving.x509.checkIssued(own) && serving.x509.verify(own.publicKey)
  return 'at' in renewalOf(serving, clock.now(), { onlyWhenExpired: !isOurs })
}

function usable({ certificate, key }: KeyPair, host: string): Certificate | undefined {
  try {
    const read = readCertificate(certificate)
    return coversHost(host, read) && read.x509.checkPrivateKey(readKey(key)) ? read : undefined
  } catch (error) {
    if (error instanceof InvalidInput) return undefined
    throw error
  }
}

const newAccountKey = async (): Promise<string> => keyPem(await createKey())

/** Certificate and key are in one file so that they always match. */
async function keptAuthority(path: string, make: () => Promise<KeyPair>): Promise<KeyPair> {
  const text = await readIfExists(path)
  if (text !== undefined) {
    const pair = pairOrNothing(text)
    if (pair) return pair
    // Never replace it silently: clients that trust the old one would be locked out.
    const remedy = 'restore it, or remove it to create a new one'
    throw new InvalidInput(`${path} does not contain a certificate and its key: ${remedy}`)
  }
  const made = await make()
  await writePair(path, made)
  return made
}

const servingPath = (directory: string): string => join(directory, 'serving.pem')

function writePair(path: string, { certificate, key }: KeyPair): Promise<void> {
  return writeSecretFile(path, certificate.trimEnd() + '\n' + key)
}

/** Intermediate and CA certificates may follow the certificate. */
function pairOrNothing(text: string): KeyPair | undefined {
  const { blocks } = readPem(text)
  const certificates = blocks.filter(({ label }) => label === 'CERTIFICATE')
  const key = blocks.find(({ label }) => label.endsWith('PRIVATE KEY'))
  if (certificates.length === 0 || !key) return undefined
  return {
    certificate: certificates.map(({ label, der }) => toPem(label, der)).join(''),
    key: toPem(key.label, key.der),
  }
}

async function kept(path: string, make: () => string | Promise<string>): Promise<string> {
  const text = await readIfExists(path)
  if (text) return text
  const made = await make()
  await writeSecretFile(path, made)
  return made
}
