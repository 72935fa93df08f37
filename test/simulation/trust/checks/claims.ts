import { conditionOf, rotationConditions } from '../../../../src/api/conditions.ts'
import type { TrustRotation } from '../../../../src/api/kinds/resources.ts'
import type { Change } from '../../api/memory-api.ts'
import type { TrustScene } from '../scene.ts'
import type { NodeBundlesCheck } from './node-bundles.ts'
import { bundleOf } from './end-state.ts'
import { short } from './node-bundles.ts'

/** The status of a TrustRotation matches the nodes. */
export function checkClaims(
  scene: TrustScene,
  nodeBundles: NodeBundlesCheck,
  change: Change,
): void {
  const { resource, actor, type, object } = change
  if (!resource.endsWith('/trustrotations') || actor !== 'signer' || type === 'DELETED') return
  const { cluster, reader } = scene
  const { metadata, spec, status } = object as unknown as TrustRotation
  const { phase = '', current, conditions } = status ?? {}
  if (current && phase === 'Completed') {
    checkCompleted(scene, nodeBundles, { metadata, spec }, current.fingerprint)
  }
  const isTrusted = conditionOf(conditions, rotationConditions.trusted)?.status === 'True'
  if (!current || !(isTrusted || phase === 'Prepared' || phase === 'Issuing')) return
  for (const node of scene.nodes.values()) {
    if (!nodeBundles.isSeen(node.name) || nodeBundles.isExcused(node.name, current.fingerprint))
      continue
    if (reader.has(node.trustsWith(spec.trustedBy!), current.fingerprint)) continue
    const claim = isTrusted ? 'all nodes trust it' : `it is ${phase}`
    cluster.violated(
      'the status of a rotation never claims more than is on the nodes',
      `${metadata.name} reports that ${claim}, and ${node.name} does not use ${short(current.fingerprint)}`,
    )
  }
}

/** Completed: every node holds the current CA of this signer and the published CAs, and nothing else. */
function checkCompleted(
  scene: TrustScene,
  nodeBundles: NodeBundlesCheck,
  { metadata, spec }: Pick<TrustRotation, 'metadata' | 'spec'>,
  current: string,
): void {
  const { cluster, reader } = scene
  const published = (spec.publishedIn ?? []).map((place) => reader.bundle(bundleOf(scene, place)))
  const isKnown = (fingerprint: string): boolean =>
    fingerprint === current || published.some((bundle) => bundle?.has(fingerprint))
  for (const node of scene.nodes.values()) {
    if (!nodeBundles.isSeen(node.name) || nodeBundles.isExcused(node.name, current)) continue
    const held = reader.bundle(node.holds(spec.trustedBy!).all)
    const extra = [...(held?.keys() ?? [])].find((each) => !isKnown(each))
    if (extra === undefined) continue
    cluster.violated(
      'the status of a rotation never claims more than is on the nodes',
      `${metadata.name} is Completed, and ${node.name} still holds ${short(extra)}`,
    )
  }
}
