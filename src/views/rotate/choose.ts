import type { TrustRotation } from '../../api/resources.ts'
import { trustItems } from '../../api/trust/items.ts'
import { InvalidInput } from '@machinist/core/errors'

/** Pure: the one that is meant. Without a name it is the only one, or the only one for kubelets' callers. */
export function chosen(
  all: readonly Readonly<TrustRotation>[],
  name: string | undefined,
): Readonly<TrustRotation> {
  if (all.length === 0) throw new InvalidInput(none)
  if (name !== undefined) {
    const found = all.find(({ metadata }) => metadata.name === name)
    if (found) return found
    throw new InvalidInput(`there is no TrustRotation ${name}; there are: ${listed(all)}`)
  }
  const usual = all.filter(({ spec }) => spec.trustedBy === trustItems.kubeletClientCA)
  const [only, ...others] = all.length === 1 ? all : usual
  if (only && others.length === 0) return only
  throw new InvalidInput(`say which TrustRotation is meant; there are: ${listed(all)}`)
}

const none =
  'there is no TrustRotation in this cluster: examples/trust-rotation.yaml has two to begin with'

function listed(all: readonly Readonly<TrustRotation>[]): string {
  const each = all.map(({ metadata, spec }) =>
    spec.trustedBy ? `${metadata.name} (${spec.trustedBy})` : metadata.name,
  )
  const shown = each.toSorted().slice(0, 10)
  return each.length > 10 ? `${shown.join(', ')} and ${each.length - 10} more` : shown.join(', ')
}
