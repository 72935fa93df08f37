import { join } from 'node:path'
import type { Clock } from '@machinist/core/clock'
import { InvalidInput } from '@machinist/core/errors'
import { readPem, toPem } from '@machinist/core/pem'
import type { Certificate } from '@machinist/pki/certificate'
import { readCertificate } from '@machinist/pki/certificate'
import type { KeyPair } from '@machinist/pki/issue'
import { createKey, createSecret, keyPem, readKey } from '@machinist/pki/keys'
import { renewalOf } from '@machinist/pki/renewal'
import { readDurable, writeSecretFile } from './durable-file.ts'

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

/** Whether a server has been started with this directory before. */
export async function hasIdentity({ directory }: IdentityOptions): Promise<boolean> {
  return (await readDurable(join(directory, 'authority.pem'))) !== undefined
}

/** The issuing library is loaded only when something has to be issued: every start but the first is quick. */
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

/** The serving certificate as it is kept, or a new one when its time is near. What cannot be used is no loss: nobody trusts it. */
export async function loadServing(authority: KeyPair, options: IdentityOptions): Promise<KeyPair> {
  const text = await readDurable(servingPath(options.directory))
  const kept = text === undefined ? undefined : pairOrNothing(text)
  if (kept && isServable(kept, authority, options)) return kept
  const made = await issueServing(authority, options)
  await keepServing(options.directory, made)
  return made
}

/** The next start begins with this one. */
export function keepServing(directory: string, serving: KeyPair): Promise<void> {
  return writePair(servingPath(directory), serving)
}

/** What clients on this machine call the server, and the address that they use otherwise. */
export function hostnamesOf(host: string): readonly string[] {
  return [...namesOf(host).dnsNames, ...namesOf(host).ipAddresses]
}

/** Whether it names the address or name that clients use. */
export function isFor(host: string, { x509 }: Certificate): boolean {
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

/** One that another authority signed is kept for as long as it is good: only that one could renew it. */
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
    return isFor(host, read) && read.x509.checkPrivateKey(readKey(key)) ? read : undefined
  } catch (error) {
    if (error instanceof InvalidInput) return undefined
    throw error
  }
}

const newAccountKey = async (): Promise<string> => keyPem(await createKey())

/** Certificate and key are in one file, so that they can never be of two minds. */
async function keptAuthority(path: string, make: () => Promise<KeyPair>): Promise<KeyPair> {
  const text = await readDurable(path)
  if (text !== undefined) {
    const pair = pairOrNothing(text)
    if (pair) return pair
    // Never replaced in silence: whoever trusts the old one would be locked out.
    const remedy = 'restore it, or remove it to have a new one made'
    throw new InvalidInput(`${path} does not hold a certificate and its key: ${remedy}`)
  }
  const made = await make()
  await writePair(path, made)
  return made
}

const servingPath = (directory: string): string => join(directory, 'serving.pem')

function writePair(path: string, { certificate, key }: KeyPair): Promise<void> {
  return writeSecretFile(path, certificate.trimEnd() + '\n' + key)
}

/** The certificate may be followed by those above it. */
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
  const text = await readDurable(path)
  if (text) return text
  const made = await make()
  await writeSecretFile(path, made)
  return made
}
