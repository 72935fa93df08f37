import type { NodeTrustItem } from '../../api/kinds/node-trust.ts'
import type { TrustItem } from '../../api/trust/items.ts'
import { renderedItems } from '../../api/trust/items.ts'
import type { Look } from './item.ts'
import type { Wanted } from './wanted.ts'

export type ItemState = NodeTrustItem['state']

export interface ItemFacts {
  readonly item: TrustItem
  /** What the disk holds, or why nobody can say. */
  readonly look: Look | { readonly problem: string }
  /** Something of it is there that is ours and can be taken away again. */
  readonly isRemovable: boolean
  /** What became of the last try, if that was not all. */
  readonly trouble?: Trouble
}

export interface Trouble {
  /** What was tried to reach; absent: to take it away. */
  readonly wanted?: string
  readonly message: string
  /** It is not time to try again. */
  readonly rests: boolean
}

export interface ItemDecision {
  /** The policy that decided: its name is the explanation. */
  readonly policy: string
  readonly item: TrustItem
  readonly do: 'nothing' | 'write' | 'remove' | 'ask'
  readonly state: ItemState
  readonly wanted?: string
  /** Why it is not current, for people. */
  readonly message?: string
}

/** What is to be done about one item, whatever the others are like. Pure; the first policy with something to say decides. */
export function decideItem(facts: ItemFacts, asked: Wanted): ItemDecision {
  const { delivery, digests, isUnfinished = false } = asked
  const { item, look } = facts
  if ('problem' in look) {
    return { policy: 'unreadable', item, do: 'nothing', state: 'Failed', message: look.problem }
  }
  if (!digests) {
    const message = 'what the cluster wants has yet to be read'
    return { policy: 'unknown', item, do: 'ask', state: 'Lagging', message }
  }
  const wanted = digests[item] ?? look.local
  const isRemovable = facts.isRemovable && !isUnfinished
  const situation: Situation = { facts: { ...facts, isRemovable }, look, wanted }
  for (const [policy, ask] of Object.entries(policies)) {
    const said = policy === 'rendered' && delivery === 'direct' ? undefined : ask(situation)
    if (said) return { policy, item, ...(wanted !== undefined && { wanted }), ...said }
  }
  throw new Error('the last policy always decides')
}

interface Situation {
  readonly facts: ItemFacts
  readonly look: Look
  readonly wanted: string | undefined
}

type Said = Pick<ItemDecision, 'do' | 'state' | 'message'>
type Policy = (situation: Situation) => Said | undefined

const policies: Readonly<Record<string, Policy>> = {
  /** Only asked where certificates are in MachineConfigs. */
  rendered: ({ facts, look, wanted }) => {
    if (!renderedItems.has(facts.item)) return undefined
    if (wanted === undefined) return { do: 'nothing', state: 'NotGiven' }
    const message = 'it comes with MachineConfigs, and this node has another one'
    return { do: 'nothing', state: 'Rendered', ...(look.digest !== wanted && { message }) }
  },

  notGiven: ({ facts, wanted }) => {
    if (wanted !== undefined) return undefined
    const { isRemovable, trouble } = facts
    if (!isRemovable) return { do: 'nothing', state: 'NotGiven' }
    if (trouble?.rests && trouble.wanted === undefined) return failed(trouble)
    return { do: 'remove', state: 'Lagging', message: 'it is yet to be taken away' }
  },

  inapplicable: ({ look: { inapplicable: message } }) =>
    message === undefined ? undefined : { do: 'nothing', state: 'Current', message },

  current: ({ look: { digest, pending, failure, remark: message }, wanted }) => {
    if (digest !== wanted) return undefined
    if (failure !== undefined) return { do: 'nothing', state: 'Failed', message: failure }
    if (pending !== undefined) return { do: 'nothing', state: 'Lagging', message: pending }
    return { do: 'nothing', state: 'Current', ...(message !== undefined && { message }) }
  },

  resting: ({ facts: { trouble }, wanted }) =>
    trouble?.rests && trouble.wanted === wanted ? failed(trouble) : undefined,

  differs: () => ({ do: 'write', state: 'Lagging', message: 'it is yet to be written' }),
}

const failed = ({ message }: Trouble): Said => ({ do: 'nothing', state: 'Failed', message })
