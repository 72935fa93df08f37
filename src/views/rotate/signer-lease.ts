import type { Lease } from '@machinist/kube/kinds/coordination'
import { namespaces, signerLease } from '../../api/names.ts'
import { moment } from '../certs/validity.ts'
import { toMilliseconds } from './times.ts'

export const signerLeaseKey = { namespace: namespaces.operator, name: signerLease } as const
export const signerLeaseText = `Lease ${signerLeaseKey.namespace}/${signerLeaseKey.name}`

/** Whether a signer runs, according to its Lease. */
export interface SignerLeaseState {
  readonly isRunning: boolean
  /** Completes "no signer seems to run: " or "a signer seems to run: ". */
  readonly detail: string
}

/** Pure. */
export function signerLeaseState(lease: Lease | undefined, now: number): SignerLeaseState {
  const { holderIdentity, renewTime, leaseDurationSeconds = 0 } = lease?.spec ?? {}
  if (!lease) {
    const detail = `${signerLeaseText} does not exist; machinist signer starts a signer`
    return { isRunning: false, detail }
  }
  if (!holderIdentity) return { isRunning: false, detail: `${signerLeaseText} has no holder` }
  const renewed = toMilliseconds(renewTime) ?? 0
  if (renewed + leaseDurationSeconds * 1000 > now) {
    return { isRunning: true, detail: `${holderIdentity} holds ${signerLeaseText}` }
  }
  const when = moment(renewed, now)
  const detail = `${holderIdentity} holds ${signerLeaseText}, but last renewed it at ${when}`
  return { isRunning: false, detail }
}
