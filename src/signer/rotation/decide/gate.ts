import { keyText } from '@machinist/core/objects/resource'
import type { Authority, BundleFacts, NodesFacts, CertificateFacts } from '../facts/facts.ts'
import { currentIn } from '../facts/facts.ts'
import type { LeafTarget } from '../../../fleet/rotation/rotation-spec.ts'
import { isUsableCA } from './signer-renewal.ts'
import { userDataWaits } from './user-data.ts'

/** Whether the current CA may sign: open once every verifier is known to trust it. */
export interface Gate {
  readonly isOpen: boolean
  /** The reasons why it is closed, for users; empty if it is open. */
  readonly waitsFor: readonly string[]
}

/** Opens on evidence: bundle, published ConfigMaps, nodes and user data all have the current CA. */
export function gateOf(facts: CertificateFacts): Gate {
  const { bundle, published, nodes } = facts
  const current = currentIn(facts)
  if (!isUsableCA(current, facts.now)) return closed('there is no CA that can sign')
  if (!holds(bundle, current)) return closed('the bundle does not contain the current CA yet')
  const lacking = published.filter(({ found }) => !holds(found, current))
  if (lacking.length > 0) {
    const places = lacking.map(({ key, awaited }) =>
      awaited ? `${keyText(key)}, after ConfigMap ${keyText(awaited)} is created` : keyText(key),
    )
    return closed(`the current CA is not published yet in ${places.join(', ')}`)
  }
  const waitsFor = [...nodeWaits(nodes), ...userDataWaits(facts, current)]
  return { isOpen: waitsFor.length === 0, waitsFor }
}

function nodeWaits(nodes: NodesFacts | undefined): string[] {
  if (!nodes) return []
  const { lacking, settling, total } = nodes
  return [
    ...(lacking > 0 ? [lackText(nodes)] : []),
    ...(settling > 0 ? [`${settling} of ${total} nodes have it, and may still be loading it`] : []),
  ]
}

export function lackText({ lacking, total }: Pick<NodesFacts, 'lacking' | 'total'>): string {
  const verb = lacking === 1 ? 'does' : 'do'
  return `${lacking} of ${total} nodes ${verb} not trust the current CA yet`
}

/** Without evidence, the new CA waits for a tenth of the refresh time of the target. */
export function opensAt(current: Authority, { refreshMs }: Pick<LeafTarget, 'refreshMs'>): number {
  return current.notBefore + refreshMs / 10 + 1
}

export function holds(bundle: BundleFacts | undefined, authority: Authority | undefined): boolean {
  return bundle?.authorities.some((each) => each.fingerprint === authority?.fingerprint) ?? false
}

const closed = (why: string): Gate => ({ isOpen: false, waitsFor: [why] })
