import { DecisionChain } from '@machinist/kube/controller/decision-chain'
import type { NodeTrustItem } from '../../../api/kinds/node-trust.ts'
import type { TrustItem } from '../../../api/trust/items.ts'
import { renderedItems } from '../../../api/trust/items.ts'
import type { DesiredTrust } from '../desired/desired-trust.ts'
import type { ItemFacts, ItemFailure } from '../facts/facts.ts'
import type { ObservedItem } from '../items/item.ts'

export type ItemState = NodeTrustItem['state']

export interface ItemDecision {
  /** The name of the check that decided. */
  readonly check: string
  readonly item: TrustItem
  /** `fetch`: the ControllerConfig must be read to know the desired digest. */
  readonly action: 'nothing' | 'write' | 'remove' | 'fetch'
  readonly state: ItemState
  readonly desired?: string
  /** Why the item is not current, for users. */
  readonly message?: string
}

/** Decides about one item, independently of the others. Pure. */
export function decideItem(facts: ItemFacts, trust: DesiredTrust): ItemDecision {
  const situation = situationOf(facts, trust)
  const decided = chain.evaluate(situation)
  if (!decided) throw new Error('no check decided, although the last one always does')
  const { item } = facts
  const { desired } = situation
  return {
    check: decided.check,
    item,
    ...(desired !== undefined && { desired }),
    ...decided.result,
  }
}

interface ItemSituation {
  readonly facts: ItemFacts
  readonly trust: DesiredTrust
  /** Empty if the disk cannot be read: the first check decides then. */
  readonly observed: ObservedItem
  readonly desired: string | undefined
}

function situationOf(facts: ItemFacts, trust: DesiredTrust): ItemSituation {
  if ('problem' in facts.observed) {
    return { facts, trust, observed: { holdings: [] }, desired: undefined }
  }
  const { observed } = facts
  const desired = trust.digests && (trust.digests[facts.item] ?? observed.local)
  return { facts, trust, observed, desired }
}

type ItemCheckResult = Pick<ItemDecision, 'action' | 'state' | 'message'>
type ItemCheck = (situation: ItemSituation) => ItemCheckResult | undefined

const checks: Readonly<Record<string, ItemCheck>> = {
  unreadable: ({ facts: { observed } }) =>
    'problem' in observed
      ? { action: 'nothing', state: 'Failed', message: observed.problem }
      : undefined,

  unknown: ({ trust }) =>
    trust.digests
      ? undefined
      : { action: 'fetch', state: 'Lagging', message: 'the desired digest is not known yet' },

  /** With `rendered` delivery, MachineConfigs contain the certificates. */
  rendered: ({ facts, trust, observed, desired }) => {
    if (trust.delivery === 'direct' || !renderedItems.has(facts.item)) return undefined
    if (desired === undefined) return { action: 'nothing', state: 'NotGiven' }
    const message =
      'MachineConfigs deliver it, and the config of this node contains another version'
    return { action: 'nothing', state: 'Rendered', ...(observed.digest !== desired && { message }) }
  },

  notGiven: ({ facts, trust, desired }) => {
    if (desired !== undefined) return undefined
    const { failure } = facts
    // While the ControllerConfig is incomplete, an absent item may only be late.
    const isRemovable = facts.isRemovable && !trust.isIncomplete
    if (!isRemovable) return { action: 'nothing', state: 'NotGiven' }
    if (failure?.isBackingOff && failure.desired === undefined) return failed(failure)
    return { action: 'remove', state: 'Lagging', message: 'waiting to be removed' }
  },

  inapplicable: ({ observed: { inapplicable: message } }) =>
    message === undefined ? undefined : { action: 'nothing', state: 'Current', message },

  current: ({ observed: { digest, pending, failure, remark: message }, desired }) => {
    if (digest !== desired) return undefined
    if (failure !== undefined) return { action: 'nothing', state: 'Failed', message: failure }
    if (pending !== undefined) return { action: 'nothing', state: 'Lagging', message: pending }
    return { action: 'nothing', state: 'Current', ...(message !== undefined && { message }) }
  },

  backingOff: ({ facts: { failure }, desired }) =>
    failure?.isBackingOff && failure.desired === desired ? failed(failure) : undefined,

  differs: () => ({ action: 'write', state: 'Lagging', message: 'waiting to be written' }),
}

const chain = DecisionChain.of(checks, ({ message, state }) => message ?? state)

function failed({ message }: ItemFailure): ItemCheckResult {
  return { action: 'nothing', state: 'Failed', message }
}
