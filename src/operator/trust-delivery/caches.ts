import type { NodeTrustItem } from '../../api/kinds/node-trust.ts'
import type { NodeTrust } from '../../api/kinds/resources.ts'
import { firstUnreplaced } from '../../fleet/trust/delivery-state.ts'

/** Keeps the fields of a NodeTrust that the trust-delivery controller uses: one certificate for each item. */
export function withoutCertificates(trust: NodeTrust): NodeTrust {
  const { status } = trust
  if (!status?.items) return trust
  const items = status.items.map((item): NodeTrustItem => {
    const { name, state, message, wantedDigest, actualDigest, earliestNotAfter } = item
    const first = firstUnreplaced(item)
    return {
      name,
      state,
      ...(first && { certificates: [first] }),
      ...(message && { message }),
      ...(wantedDigest && { wantedDigest }),
      ...(actualDigest && { actualDigest }),
      ...(earliestNotAfter && { earliestNotAfter }),
    }
  })
  return { ...trust, status: { ...status, items } }
}
