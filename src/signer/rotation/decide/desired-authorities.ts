import { configMaps } from '../../../api/names.ts'
import { trustItems } from '../../../api/trust/items.ts'
import type { CertificateFacts } from '../facts/facts.ts'
import type { TrustedBy } from '../../../fleet/rotation/rotation-spec.ts'

/** The ConfigMap that the operator delivers to nodes. */
const sources: Readonly<Record<TrustedBy, { readonly namespace: string; readonly name: string }>> =
  {
    [trustItems.kubeletClientCA]: configMaps.kubeletClientCA,
    [trustItems.apiServerCA]: configMaps.apiServerCA,
  }

type DesiredFacts = Pick<CertificateFacts, 'rotation' | 'bundle' | 'published' | 'now'>

/**
 * Fingerprints of all CAs that nodes must trust: the bundle and the other inputs, without expired ones. Undefined if this
 * rotation does not publish to the ConfigMap that nodes get their CAs from, and if the bundle cannot be parsed.
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
  // The published bundle stays unchanged until all of its inputs can be parsed.
  const parts = isHeld ? [bundle, place.found] : [bundle, ...inputs]
  const all = parts.flatMap((part) => part?.authorities ?? [])
  return new Set(
    all.filter(({ notAfter }) => now <= notAfter).map(({ fingerprint }) => fingerprint),
  )
}
