import { timestamp } from '@machinist/core/timestamp'

/** When a certificate counts, in milliseconds since the epoch. */
export interface Lifetime {
  readonly notBefore: number
  readonly notAfter: number
}

/** A certificate that cannot be used, and why, for people. Never quotes what was read. */
export interface Damage {
  readonly problem: string
}

export interface RenewalTerms {
  /** After this long a new one takes its place; in any case after four fifths of its life. */
  readonly refreshMs?: number
  /** Only what has ended or is damaged is renewed. */
  readonly onlyWhenExpired?: boolean
}

/** Why it is to be renewed now, or when it will be. */
export type Renewal =
  /** `isUsable`: it still does its work, and there is time to do it well. */
  { readonly why: string; readonly isUsable: boolean } | { readonly at: number }

/** Clocks of machines differ; by more than this, one of them was wrong. */
const clocksDifferMs = 5 * 60_000

/** Pure: whether a certificate has to be replaced, by what it is and not by what is written about it. */
export function renewalOf(
  certificate: Lifetime | Damage,
  now: number,
  { refreshMs = Infinity, onlyWhenExpired = false }: RenewalTerms = {},
): Renewal {
  if (isDamaged(certificate)) return { why: certificate.problem, isUsable: false }
  const { notBefore, notAfter } = certificate
  if (now > notAfter) return { why: 'already expired', isUsable: false }
  if (now + clocksDifferMs < notBefore) {
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

export function isDamaged(certificate: object): certificate is Damage {
  return 'problem' in certificate
}
