import type { X509Certificate } from 'node:crypto'
import type { UserInfo } from '../identity/user-info.ts'
import { authenticated } from '../identity/user-info.ts'

/**
 * The user (CN) and groups (O) of a client certificate; undefined if no CA verifies it now. Intermediates that the
 * client sent are used only if a CA verifies them.
 */
export function certificateUser(
  certificate: X509Certificate,
  authorities: readonly X509Certificate[],
  now: number,
  between: readonly X509Certificate[] = [],
): UserInfo | undefined {
  if (!isValidAt(certificate, now) || !isForClients(certificate)) return undefined
  const steps = between.slice(0, maxIntermediates).filter(isForClients)
  if (!isVerified(certificate, authorities, now, steps)) return undefined
  // toLegacyObject breaks node:tls for the whole process unless node:tls is loaded before.
  process.getBuiltinModule('node:tls')
  const { CN, O } = certificate.toLegacyObject().subject as unknown as SubjectFields
  const username = values(CN).at(-1)
  if (!username) return undefined
  return authenticated({
    username,
    groups: values(O),
    extra: {
      'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint(certificate)}`],
    },
  })
}

/** Raw values, without the escapes of the subject's text form. */
interface SubjectFields {
  readonly CN?: string | readonly string[]
  readonly O?: string | readonly string[]
}

const clientAuth = '1.3.6.1.5.5.7.3.2'
const anyUsage = '2.5.29.37.0'

/** A certificate without an extended key usage is valid for all purposes. */
function isForClients({ keyUsage }: X509Certificate): boolean {
  const usages = keyUsage as readonly string[] | undefined
  return !usages?.length || usages.includes(clientAuth) || usages.includes(anyUsage)
}

/** Real chains are short; a long one would make the server try every order. */
const maxIntermediates = 4

function isVerified(
  certificate: X509Certificate,
  authorities: readonly X509Certificate[],
  now: number,
  between: readonly X509Certificate[],
): boolean {
  if (authorities.some((authority) => verifies(authority, certificate, now))) return true
  return between.some(
    (step, i) =>
      verifies(step, certificate, now) &&
      isVerified(step, authorities, now, between.toSpliced(i, 1)),
  )
}

function verifies(authority: X509Certificate, certificate: X509Certificate, now: number): boolean {
  return (
    authority.ca &&
    isValidAt(authority, now) &&
    certificate.checkIssued(authority) &&
    certificate.verify(authority.publicKey)
  )
}

const isValidAt = ({ validFromDate, validToDate }: X509Certificate, now: number): boolean =>
  validFromDate.getTime() <= now && now <= validToDate.getTime()

const fingerprint = ({ fingerprint256 }: X509Certificate): string =>
  fingerprint256.replaceAll(':', '').toLowerCase()

const values = (field: string | readonly string[] = []): readonly string[] =>
  typeof field === 'string' ? [field] : field
