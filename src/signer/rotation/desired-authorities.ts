import { configMaps } from '../../api/names.ts'
import { trustItems } from '../../api/trust/items.ts'
import type { RotationFacts } from './facts.ts'
import type { TrustedBy } from '../../fleet/rotation/rotation-spec.ts'

/** The ConfigMap whose certificates, and no others, the operator brings to nodes. */
const sources: Readonly<Record<TrustedBy, { readonly namespace: string; readonly name: string }>> =
  {
    [trustItems.kubeletClientCA]: configMaps.kubeletClientCA,
    [trustItems.apiServerCA]: configMaps.apiServerCA,
  }

type DesiredFacts = Pick<RotationFacts, 'rotation' | 'bundle' | 'published' | 'now'>

/**
 * Fingerprints of all CAs that nodes are to trust: the bundle and what others give beside it, but for what has ended. Undefined where that is not for
 * this rotation to say, because it does not publish where nodes' CAs come from, and where it cannot be read.
 */
export function desiredAuthorities(facts: DesiredFacts): ReadonlySet<string> | undefined {
  const { rotation, bundle, published, now } = facts
  const source = rotation.trustedBy && sources[rotation.trustedBy]
  const index = rotation.publishedIn.findIndex(
    ({ namespace, name }) => namespace === source?.namespace && name === source?.name,
  )
  const place = published[index]
  if (!place || !bundle || bundle.problem !== undefined) return undefined
  const inputs = place.inputs.map((input) => input.bundle)
  const isHeld = place.awaited || inputs.some(({ problem }) => problem !== undefined)
  // What is published stays as it is until all of its parts can be read.
  const parts = isHeld ? [bundle, place.found] : [bundle, ...inputs]
  const all = parts.flatMap((part) => part?.authorities ?? [])
  return new Set(
    all.filter(({ notAfter }) => now <= notAfter).map(({ fingerprint }) => fingerprint),
  )
}
