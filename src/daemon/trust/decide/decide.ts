import type { ControllerConfig } from '../../../api/kinds/resources.ts'
import type { DesiredTrust } from '../desired/desired-trust.ts'
import type { TrustFacts } from '../facts/facts.ts'
import type { ItemDecision } from './decide-item.ts'
import { decideItem } from './decide-item.ts'

export interface TrustPlan {
  /** One for each item, in the order of the facts. */
  readonly decisions: readonly ItemDecision[]
  readonly next: TrustStep
}

/** What one pass does. All but the first and the last lead to another pass. */
export type TrustStep =
  | { readonly action: 'wait'; readonly forMs: number }
  | { readonly action: 'fetch' }
  | {
      readonly action: 'apply'
      readonly changes: readonly ItemDecision[]
      readonly payload?: ControllerConfig
    }
  /** Another writer has reverted these items already: they are retried later. */
  | { readonly action: 'backOff'; readonly reverted: readonly ItemDecision[] }
  /** Nothing is left to do now, so the state is reported. */
  | { readonly action: 'settle' }

/** Pure: decides about each item, and from that what this pass does. */
export function decide(facts: TrustFacts): TrustPlan {
  const decisions = facts.items.map((item) => decideItem(item, facts.desired))
  return { decisions, next: stepAfter(facts, decisions) }
}

export const isOpen = ({ action }: ItemDecision): boolean => action !== 'nothing'

function stepAfter(facts: TrustFacts, decisions: readonly ItemDecision[]): TrustStep {
  const { previous, desired, fetched = desired } = facts
  const changes = decisions.filter(isChange)
  switch (previous?.type) {
    case undefined:
      return firstStep(facts, decisions)
    case 'fetched': {
      // The next reconcile handles items that have changed since the payload was read.
      const covered = changes.filter((change) => isSame(change, desired, fetched))
      return { action: 'apply', changes: covered, payload: previous.payload }
    }
    case 'applied': {
      const reverted = changes.filter(({ item }) => previous.items.has(item))
      return reverted.length > 0 ? { action: 'backOff', reverted } : { action: 'settle' }
    }
    case 'backingOff':
    case 'unreachable':
    case 'waiting':
    case 'settled':
    case 'stopped':
      return { action: 'settle' }
  }
}

function firstStep({ items }: TrustFacts, decisions: readonly ItemDecision[]): TrustStep {
  const open = items.filter((_, at) => isOpen(decisions[at]!))
  if (open.length === 0) return { action: 'settle' }
  const forMs = Math.min(...open.map(({ waitMs }) => waitMs))
  if (forMs > 0) return { action: 'wait', forMs }
  const needsPayload = items.some(({ needsPayload: isNeeded }, at) => {
    const { action } = decisions[at]!
    return action === 'fetch' || (action === 'write' && isNeeded)
  })
  return needsPayload
    ? { action: 'fetch' }
    : { action: 'apply', changes: decisions.filter(isChange) }
}

const isChange = ({ action }: ItemDecision): boolean => action === 'write' || action === 'remove'

/** Whether two states of the ControllerConfig specify the same for the item of a decision. */
const isSame = ({ item }: ItemDecision, a: DesiredTrust, b: DesiredTrust): boolean =>
  a.delivery === b.delivery &&
  a.isIncomplete === b.isIncomplete &&
  a.digests?.[item] === b.digests?.[item]
