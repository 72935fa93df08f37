import type { TrustRotationStatus } from '../../api/kinds/trust-rotation.ts'
import { commonNameIn } from '../../api/trust/signer-family.ts'
import { withoutNamespace } from '../certs/tree.ts'

/** A CA, as the status of a TrustRotation tells of it. */
export interface Authority {
  /** As people tell it from others: `kube-apiserver-to-kubelet-signer@1794837720`. */
  readonly name: string
  readonly fingerprint: string
  /** Milliseconds since the epoch. */
  readonly notAfter: number
}

interface Told {
  readonly fingerprint: string
  readonly subject: string
  readonly notAfter: string
}

export function authorityOf({ fingerprint, subject, notAfter }: Told): Authority {
  return {
    name: withoutNamespace(commonNameIn(subject)),
    fingerprint,
    notAfter: Date.parse(notAfter),
  }
}

/** The CA before the current one: of those that are to go, the one made last. */
export function previousOf({ retiring = [] }: TrustRotationStatus): Authority | undefined {
  return retiring.map(authorityOf).toSorted((a, b) => madeAt(b) - madeAt(a))[0]
}

/** Whether the CA that signs is older than one that is to go. */
export function goesBack({ current, retiring = [] }: TrustRotationStatus): boolean {
  if (!current) return false
  const made = madeAt(authorityOf(current))
  return retiring.some((each) => madeAt(authorityOf(each)) > made)
}

/** Signers carry the second of their birth in their name; the first one of an installation does not, and is the oldest. */
function madeAt({ name, notAfter }: Authority): number {
  const second = /@(\d{1,12})$/.exec(name)?.[1]
  return second === undefined ? notAfter - longAgo : Number(second) * 1000
}

const longAgo = 1e15
