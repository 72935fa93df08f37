import { InvalidInput } from '@machinist/core/errors'
import type { TrustRotation } from '../../api/kinds/resources.ts'
import { trustItems } from '../../api/trust/items.ts'
import { joinNames } from '../wording.ts'

/** Pure: the requested rotation. Without a name it is the only one, or the only one of the kubelet client CA. */
export function chooseRotation(
  all: readonly Readonly<TrustRotation>[],
  name: string | undefined,
): Readonly<TrustRotation> {
  if (all.length === 0) throw new InvalidInput(none)
  if (name !== undefined) {
    const found = all.find(({ metadata }) => metadata.name === name)
    if (found) return found
    throw new InvalidInput(`TrustRotation ${name} not found; available: ${rotationNames(all)}`)
  }
  const defaults = all.filter(({ spec }) => spec.trustedBy === trustItems.kubeletClientCA)
  const [only, ...others] = all.length === 1 ? all : defaults
  if (only && others.length === 0) return only
  throw new InvalidInput(`name a TrustRotation; available: ${rotationNames(all)}`)
}

const none = 'this cluster has no TrustRotation: examples/trust-rotation.yaml contains two examples'

function rotationNames(all: readonly Readonly<TrustRotation>[]): string {
  const each = all.map(({ metadata, spec }) =>
    spec.trustedBy ? `${metadata.name} (${spec.trustedBy})` : metadata.name,
  )
  return joinNames(each.toSorted(), 10)
}
