import type { TrustRotationStatus } from '../../api/kinds/trust-rotation.ts'
import { commonNameIn } from '../../api/trust/signer-family.ts'
import { withoutNamespace } from '../certs/tree.ts'

/** A CA in the status of a TrustRotation. */
export interface RotationCA {
  /** Its short name: `kube-apiserver-to-kubelet-signer@1794837720`. */
  readonly name: string
  readonly fingerprint: string
  /** Milliseconds since the epoch. */
  readonly notAfter: number
}

interface CAStatus {
  readonly fingerprint: string
  readonly subject: string
  readonly notAfter: string
}

export function authorityOf({ fingerprint, subject, notAfter }: CAStatus): RotationCA {
  return {
    name: withoutNamespace(commonNameIn(subject)),
    fingerprint,
    notAfter: Date.parse(notAfter),
  }
}

/** The CA before the current one: the newest of the retiring ones. */
export function previousOf({ retiring = [] }: TrustRotationStatus): RotationCA | undefined {
  return retiring.map(authorityOf).toSorted((a, b) => createdAt(b) - createdAt(a))[0]
}

/** Whether the current CA is older than a retiring one. */
export function goesBack({ current, retiring = [] }: TrustRotationStatus): boolean {
  if (!current) return false
  const created = createdAt(authorityOf(current))
  return retiring.some((each) => createdAt(authorityOf(each)) > created)
}

/** The name of a CA contains its creation time in seconds. The first CA of an installation has none, and is the oldest. */
function createdAt({ name, notAfter }: RotationCA): number {
  const second = /@(\d{1,12})$/.exec(name)?.[1]
  return second === undefined ? notAfter - longAgo : Number(second) * 1000
}

const longAgo = 1e15
