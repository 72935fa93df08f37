import { InvalidInput } from '@machinist/core/errors'
import type { ObjectKey } from '@machinist/core/objects/resource'
import { keyText } from '@machinist/core/objects/resource'
import { rotationReasons } from '../../api/reasons.ts'
import type { TrustRotation } from '../../api/kinds/resources.ts'
import type { Rotation } from '../../fleet/rotation/rotation-spec.ts'
import { readRotation } from '../../fleet/rotation/rotation-spec.ts'
import { sharedWith } from './claims.ts'
import type { RotationProblem } from './facts/facts.ts'
import { once } from './facts/once.ts'

/** The resolved spec of a TrustRotation, or the problem with it. */
export function resolveRotation(
  object: Readonly<TrustRotation>,
  all: readonly Readonly<TrustRotation>[],
): Rotation | RotationProblem {
  try {
    const rotation = once(readRotation, object)
    const shared = sharedWith(object, all)
    if (!shared) return rotation
    const message = `${shared.what} is managed by TrustRotation ${shared.owner}, which is older: specify another object, or delete one of the TrustRotations`
    return { reason: rotationReasons.shared, message }
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return { reason: rotationReasons.badSpec, message: error.message }
  }
}

/** Matches the ConfigMaps that are bundles of valid rotations: the signer recreates them if they are deleted. */
export function bundleMatcher(
  all: readonly Readonly<TrustRotation>[],
): (configMap: ObjectKey) => boolean {
  let made: ReadonlySet<string> | undefined
  // Computed on first use: only a rotation with a missing ConfigMap calls it.
  return (configMap) => {
    made ??= new Set(
      all
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map((each) => resolveRotation(each, all))
        .flatMap((each) => ('reason' in each ? [] : keyText(each.bundle))),
    )
    return made.has(keyText(configMap))
  }
}
