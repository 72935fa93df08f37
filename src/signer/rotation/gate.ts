import { keyText } from '@machinist/core/resource'
import type { Authority, BundleFacts, NodesFacts, RotationFacts } from './facts.ts'
import { currentIn } from './facts.ts'
import type { Target } from '../../fleet/rotation/rotation-spec.ts'
import { isUsableCA } from './signer-renewal.ts'

/** Whether certificates may be signed by the current CA without anybody being left behind. */
export interface Gate {
  readonly isOpen: boolean
  /** What is waited for, in words; empty if it is open. */
  readonly waitsFor: readonly string[]
}

/** On evidence: all who have to know the current CA have told that they do. */
export function gateOf(facts: RotationFacts): Gate {
  const { bundle, published, nodes } = facts
  const current = currentIn(facts)
  if (!isUsableCA(current, facts.now)) return closed('there is no CA that could sign')
  if (!holds(bundle, current)) return closed('the bundle has yet to get the current CA')
  const lacking = published.filter(({ found }) => !holds(found, current))
  if (lacking.length > 0) {
    const places = lacking.map(({ key, awaited }) =>
      awaited ? `${keyText(key)}, after ConfigMap ${keyText(awaited)} is made` : keyText(key),
    )
    return closed(`the current CA has yet to be published in ${places.join(', ')}`)
  }
  if (!nodes) return { isOpen: true, waitsFor: [] }
  const waitsFor = [
    ...(nodes.lacking > 0 ? [lackText(nodes)] : []),
    ...(nodes.settling > 0
      ? [`${nodes.settling} of ${nodes.total} nodes have it, and may still be loading it`]
      : []),
  ]
  return { isOpen: waitsFor.length === 0, waitsFor }
}

export function lackText({ lacking, total }: Pick<NodesFacts, 'lacking' | 'total'>): string {
  const verb = lacking === 1 ? 'does' : 'do'
  return `${lacking} of ${total} nodes ${verb} not trust the current CA yet`
}

/** Where no node tells anything, the new CA gets a tenth of the time after which certificates are refreshed. */
export function opensAt(current: Authority, { refreshMs }: Pick<Target, 'refreshMs'>): number {
  return current.notBefore + refreshMs / 10 + 1
}

export function holds(bundle: BundleFacts | undefined, authority: Authority | undefined): boolean {
  return bundle?.authorities.some((each) => each.fingerprint === authority?.fingerprint) ?? false
}

const closed = (why: string): Gate => ({ isOpen: false, waitsFor: [why] })
