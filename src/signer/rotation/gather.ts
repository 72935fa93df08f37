import type { Clock } from '@machinist/core/clock'
import { bundleMatcher, resolveRotation } from './actionable.ts'
import type { NodeEvidence } from './evidence/node-evidence.ts'
import type { RotationFacts } from './facts/facts.ts'
import { certificateFacts } from './facts/certificate-facts.ts'
import type { RotationCaches } from './inputs.ts'

export interface RotationSources {
  readonly caches: RotationCaches
  readonly evidence: NodeEvidence
  readonly clock: Clock
}

/** Undefined if the rotation does not exist, or is being deleted. Follows the objects that the rotation refers to. */
export function gather(name: string, sources: RotationSources): RotationFacts | undefined {
  const { caches, evidence, clock } = sources
  const object = caches.rotations.get(name)
  if (!object || object.metadata.deletionTimestamp !== undefined) return undefined
  const now = clock.now()
  const all = caches.rotations.list()
  const rotation = resolveRotation(object, all)
  if ('reason' in rotation) {
    forgetObjects(name, sources)
    return { type: 'invalid', object, now, problem: rotation }
  }
  caches.objects.follow(name, rotation)
  const unsynced = caches.objects.unsynced(rotation)
  if (unsynced) {
    const { what, sinceMs } = unsynced
    return { type: 'unsynced', object, now, what, waitedMs: clock.elapsed() - sinceMs }
  }
  const { facts, found } = certificateFacts(rotation, caches.objects, now, bundleMatcher(all))
  return { type: 'ready', object, found, ...facts, ...evidence.facts(facts) }
}

/** Ends the watches of a rotation that was deleted or is invalid, and drops the reports of nodes about it. */
export function forgetObjects(
  name: string,
  { caches, evidence }: Pick<RotationSources, 'caches' | 'evidence'>,
): void {
  caches.objects.follow(name, undefined)
  evidence.forget(name)
}
