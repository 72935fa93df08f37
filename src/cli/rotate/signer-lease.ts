import { namespaces, signerLease } from '../../api/names.ts'
import type { KubeClient } from '@machinist/kube/client'
import { ifThere } from '@machinist/kube/failure'
import type { Lease } from '@machinist/kube/kinds/coordination'
import { leases } from '@machinist/kube/kinds/coordination'
import { moment } from '../../views/certs/life.ts'
import { timeOf } from '../../views/rotate/times.ts'

const key = { namespace: namespaces.operator, name: signerLease } as const
const where = `Lease ${key.namespace}/${key.name}`

/** Who signs, as far as the Lease of the signers tells. */
export interface SignerSeen {
  readonly runs: boolean
  /** In words that follow "no signer seems to run: " or "a signer seems to run: ". */
  readonly says: string
}

export async function lookForSigner(client: KubeClient, now: number): Promise<SignerSeen> {
  try {
    return signerSeen(await ifThere(client.get(leases, key)), now)
  } catch {
    return { runs: false, says: `${where} would show it, but cannot be read` }
  }
}

/** Pure. */
export function signerSeen(lease: Lease | undefined, now: number): SignerSeen {
  const { holderIdentity, renewTime, leaseDurationSeconds = 0 } = lease?.spec ?? {}
  if (!lease) {
    return { runs: false, says: `there is no ${where}; machinist signer starts one` }
  }
  if (!holderIdentity) return { runs: false, says: `nobody holds ${where}` }
  const renewed = timeOf(renewTime) ?? 0
  if (renewed + leaseDurationSeconds * 1000 > now) {
    return { runs: true, says: `${holderIdentity} holds ${where}` }
  }
  const when = moment(renewed, now)
  return { runs: false, says: `${holderIdentity} holds ${where}, but last said so at ${when}` }
}
