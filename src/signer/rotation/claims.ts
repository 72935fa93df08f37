import { InvalidInput } from '@machinist/core/errors'
import { keyText } from '@machinist/core/objects/resource'
import type { TrustRotation } from '../../api/kinds/trust-rotation.ts'
import type { Rotation } from '../../fleet/rotation/rotation-spec.ts'
import { readRotation } from '../../fleet/rotation/rotation-spec.ts'
import { once } from './facts/once.ts'

/** An object that an older TrustRotation manages. */
export interface SharedObject {
  readonly what: string
  readonly owner: string
}

/** Two rotations that write the same object would never settle, so only the oldest one manages it. */
export function sharedWith(
  rotation: Readonly<TrustRotation>,
  all: readonly Readonly<TrustRotation>[],
): SharedObject | undefined {
  const own = new Set(writtenBy(rotation))
  for (const other of all.filter((each) => isOlder(each, rotation)).sort(byAge)) {
    const what = writtenBy(other).find((each) => own.has(each))
    if (what !== undefined) return { what, owner: other.metadata.name }
  }
  return undefined
}

/** `Secret a/b`; empty for an invalid spec. */
function writtenBy(object: Readonly<TrustRotation>): string[] {
  const rotation = readable(object)
  if (!rotation) return []
  const { signer, bundle, publishedIn, targets } = rotation
  return [
    ...[signer, ...targets].map((key) => `Secret ${keyText(key)}`),
    ...[bundle, ...publishedIn].map((key) => `ConfigMap ${keyText(key)}`),
  ]
}

function readable(object: Readonly<TrustRotation>): Rotation | undefined {
  try {
    return once(readRotation, object)
  } catch (error) {
    if (error instanceof InvalidInput) return undefined
    throw error
  }
}

const isOlder = (a: Readonly<TrustRotation>, b: Readonly<TrustRotation>): boolean =>
  a.metadata.name !== b.metadata.name && byAge(a, b) < 0

function byAge(
  { metadata: a }: Readonly<TrustRotation>,
  { metadata: b }: Readonly<TrustRotation>,
): number {
  const [first, second] = [a.creationTimestamp ?? '', b.creationTimestamp ?? '']
  if (first !== second) return first < second ? -1 : 1
  return a.name < b.name ? -1 : 1
}
