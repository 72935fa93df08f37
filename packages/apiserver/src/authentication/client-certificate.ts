import type { X509Certificate } from 'node:crypto'
import type { UserInfo } from './user-info.ts'
import { authenticated } from './user-info.ts'

/**
 * The user of a client certificate (CN) and its groups (O); undefined if none of the authorities vouches for it now. What
 * the client sent between its certificate and an authority counts as far as an authority vouches for that.
 */
export function certificateUser(
  certificate: X509Certificate,
  authorities: readonly X509Certificate[],
  now: number,
  between: readonly X509Certificate[] = [],
): UserInfo | undefined {
  if (!isValidAt(certificate, now) || !isForClients(certificate)) return undefined
  const steps = between.slice(0, mostBetween).filter(isForClients)
  if (!isVouchedFor(certificate, authorities, now, steps)) return undefined
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

/** Values are as they were written, without the escapes of the subject as a text. */
interface SubjectFields {
  readonly CN?: string | readonly string[]
  readonly O?: string | readonly string[]
}

const clientAuth = '1.3.6.1.5.5.7.3.2'
const anyUsage = '2.5.29.37.0'

/** A certificate that does not say what it is for may be used for everything. */
function isForClients({ keyUsage }: X509Certificate): boolean {
  const usages = keyUsage as readonly string[] | undefined
  return !usages?.length || usages.includes(clientAuth) || usages.includes(anyUsage)
}

/** Chains are short; who sends a long one would only have us try all its orders. */
const mostBetween = 4

function isVouchedFor(
  certificate: X509Certificate,
  authorities: readonly X509Certificate[],
  now: number,
  between: readonly X509Certificate[],
): boolean {
  if (authorities.some((authority) => vouches(authority, certificate, now))) return true
  return between.some(
    (step, i) =>
      vouches(step, certificate, now) &&
      isVouchedFor(step, authorities, now, between.toSpliced(i, 1)),
  )
}

function vouches(authority: X509Certificate, certificate: X509Certificate, now: number): boolean {
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
