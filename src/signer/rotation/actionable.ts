import { rotationReasons } from '../../api/reasons.ts'
import type { TrustRotation } from '../../api/resources.ts'
import { InvalidInput } from '@machinist/core/errors'
import type { ObjectKey } from '@machinist/core/resource'
import { keyText } from '@machinist/core/resource'
import { sharedWith } from './claims.ts'
import { once } from './once.ts'
import type { Rotation } from '../../fleet/rotation/rotation-spec.ts'
import { readRotation } from '../../fleet/rotation/rotation-spec.ts'

/** Why nothing is done for a TrustRotation until a person has changed something. */
export interface Trouble {
  readonly reason: string
  readonly message: string
}

/** What is to be done for it, if that can be done. */
export function actionable(
  object: Readonly<TrustRotation>,
  all: readonly Readonly<TrustRotation>[],
): Rotation | Trouble {
  try {
    const rotation = once(readRotation, object)
    const shared = sharedWith(object, all)
    if (!shared) return rotation
    const message = `${shared.what} is written by TrustRotation ${shared.owner}, which is older: name another one, or delete one of the two`
    return { reason: rotationReasons.shared, message }
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return { reason: rotationReasons.badSpec, message: error.message }
  }
}

/** Tells which ConfigMaps are bundles of rotations that can be acted on: where one is gone, it is made anew. */
export function bundlesOf(
  all: readonly Readonly<TrustRotation>[],
): (configMap: ObjectKey) => boolean {
  let made: ReadonlySet<string> | undefined
  // Only who misses one asks.
  return (configMap) => {
    made ??= new Set(
      all
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map((each) => actionable(each, all))
        .flatMap((each) => ('reason' in each ? [] : keyText(each.bundle))),
    )
    return made.has(keyText(configMap))
  }
}
