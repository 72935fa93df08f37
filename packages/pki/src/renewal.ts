import { timestamp } from '@machinist/core/timestamp'

/** The validity period of a certificate, in milliseconds since the epoch. */
export interface CertificateLifetime {
  readonly notBefore: number
  readonly notAfter: number
}

/** An unusable certificate, with the reason. The text never quotes the content. */
export interface CertificateDamage {
  readonly problem: string
}

export interface RenewalTerms {
  /** Age at which the certificate is replaced. It is replaced after 80% of its validity at the latest. */
  readonly refreshMs?: number
  /** Renew only expired or damaged certificates. */
  readonly onlyWhenExpired?: boolean
}

/** Why the certificate is renewed now, or when it will be. */
export type Renewal =
  /** `isUsable`: the certificate is still valid, so the renewal is not urgent. */
  { readonly why: string; readonly isUsable: boolean } | { readonly at: number }

/** Tolerated clock skew between machines. */
const clockSkewMs = 5 * 60_000

/** Decides from the certificate itself, not from its annotations, whether it must be renewed. Pure. */
export function renewalOf(
  certificate: CertificateLifetime | CertificateDamage,
  now: number,
  { refreshMs = Infinity, onlyWhenExpired = false }: RenewalTerms = {},
): Renewal {
  if (isDamaged(certificate)) return { why: certificate.problem, isUsable: false }
  const { notBefore, notAfter } = certificate
  if (now > notAfter) return { why: 'already expired', isUsable: false }
  if (now + clockSkewMs < notBefore) {
    return { why: `not valid before ${timestamp(notBefore)}: a clock was ahead`, isUsable: false }
  }
  if (onlyWhenExpired) return { at: notAfter + 1 }
  const latest = notAfter - (notAfter - notBefore) / 5
  if (now > latest) {
    return { why: `past its latest possible time ${timestamp(latest)}`, isUsable: true }
  }
  const refresh = notBefore + refreshMs
  if (now > refresh) return { why: `past its refresh time ${timestamp(refresh)}`, isUsable: true }
  return { at: Math.min(latest, refresh) + 1 }
}

export function isDamaged(certificate: object): certificate is CertificateDamage {
  return 'problem' in certificate
}
