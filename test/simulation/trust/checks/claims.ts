import { conditionOf, rotationConditions } from '../../../../src/api/conditions.ts'
import type { TrustRotation } from '../../../../src/api/resources.ts'
import type { Change } from '../../api/memory-api.ts'
import type { Scene } from '../scene.ts'
import type { HoldingsCheck } from './holdings.ts'
import { bundleOf } from './end-state.ts'
import { short } from './holdings.ts'

/** What a TrustRotation says is so on the nodes. */
export function checkClaims(scene: Scene, holdings: HoldingsCheck, change: Change): void {
  const { resource, actor, type, object } = change
  if (!resource.endsWith('/trustrotations') || actor !== 'signer' || type === 'DELETED') return
  const { cluster, reader } = scene
  const { metadata, spec, status } = object as unknown as TrustRotation
  const { phase = '', current, conditions } = status ?? {}
  if (current && phase === 'Completed') {
    checkCompleted(scene, holdings, { metadata, spec }, current.fingerprint)
  }
  const isTrusted = conditionOf(conditions, rotationConditions.trusted)?.status === 'True'
  if (!current || !(isTrusted || phase === 'Prepared' || phase === 'Issuing')) return
  for (const node of scene.nodes.values()) {
    if (!holdings.isSeen(node.name) || holdings.isExcused(node.name, current.fingerprint)) continue
    if (reader.has(node.goesBy(spec.trustedBy!), current.fingerprint)) continue
    const claim = isTrusted ? 'all nodes trust it' : `it is ${phase}`
    cluster.violated(
      'a rotation never claims more than is on the nodes',
      `${metadata.name} says that ${claim}, and ${node.name} does not go by ${short(current.fingerprint)}`,
    )
  }
}

/** Completed: every node holds the current CA of this signer and those that others give, and nothing else. */
function checkCompleted(
  scene: Scene,
  holdings: HoldingsCheck,
  { metadata, spec }: Pick<TrustRotation, 'metadata' | 'spec'>,
  current: string,
): void {
  const { cluster, reader } = scene
  const published = (spec.publishedIn ?? []).map((place) => reader.bundle(bundleOf(scene, place)))
  const isKnown = (fingerprint: string): boolean =>
    fingerprint === current || published.some((bundle) => bundle?.has(fingerprint))
  for (const node of scene.nodes.values()) {
    if (!holdings.isSeen(node.name) || holdings.isExcused(node.name, current)) continue
    const held = reader.bundle(node.holds(spec.trustedBy!).all)
    const extra = [...(held?.keys() ?? [])].find((each) => !isKnown(each))
    if (extra === undefined) continue
    cluster.violated(
      'a rotation never claims more than is on the nodes',
      `${metadata.name} is Completed, and ${node.name} still holds ${short(extra)}`,
    )
  }
}
