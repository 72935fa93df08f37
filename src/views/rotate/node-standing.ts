import { isLookedAfter } from '../../api/labels.ts'
import type { NodeTrust, TrustRotation } from '../../api/resources.ts'
import { poolOf, selectionOf } from '../../fleet/pools/pool-of-node.ts'
import type { Node } from '@machinist/kube/kinds/core'
import { factsOfNode } from '@machinist/kube/node-facts'
import type { Question, Told } from '../../fleet/rotation/node-told.ts'
import { toldOf } from '../../fleet/rotation/node-told.ts'
import { excusedNodes } from '../../fleet/rotation/override.ts'
import { settleTimes } from '../../fleet/rotation/settle-times.ts'
import { moment } from '../certs/life.ts'
import type { RotationFacts } from './facts.ts'
import { timeOf } from './times.ts'

/** What is waited for on nodes: that they trust the current CA, or that they let those go that are to go. */
export type Goal = 'trust' | 'letGo'

export const standings = ['done', 'settling', 'behind', 'failed', 'excused'] as const
export type Standing = (typeof standings)[number]

export interface NodeStanding {
  readonly node: string
  readonly pool?: string | undefined
  readonly standing: Standing
  readonly why?: string | undefined
  /** When it counts, if only time is missing. */
  readonly countsAt?: number | undefined
}

/** As long as an old CA is in the bundle, nobody is to let it go. */
export function goalOf({ status }: Readonly<TrustRotation>): Goal {
  const { phase, retiring = [] } = status ?? {}
  const isLeaving = phase === 'Completed' || phase === 'Completing'
  return isLeaving && retiring.length === 0 ? 'letGo' : 'trust'
}

/** Pure: each node that counts, in the order of their names. Undefined if nobody has to be waited for, or nobody can be seen. */
export function standingsOf(
  { nodes, nodeTrusts, rotation, pools, now }: RotationFacts,
  goal: Goal = goalOf(rotation),
): NodeStanding[] | undefined {
  const question = questionOf(rotation)
  if (!nodes || !nodeTrusts || !question) return undefined
  const trusts = new Map(nodeTrusts.map((trust) => [trust.metadata.name, trust]))
  const { spec, status } = rotation
  const excused = new Set(excusedNodes(spec.override, status?.current?.fingerprint))
  const laggards = new Set(status?.nodes?.laggards?.map(({ name }) => name))
  const selections = pools.map(selectionOf)
  return nodes
    .filter(counts)
    .map((node): NodeStanding => {
      const { name } = node.metadata
      const pool = poolOf(node, selections)
      if (excused.has(name)) return { node: name, pool, standing: 'excused' }
      const trust = trusts.get(name)
      const told = toldOf(trust, node, question, now)
      const state = trust?.status?.items?.find((item) => item.name === question.item)?.state
      // Where the signer does not say what nodes are to hold, it names those that hold too much.
      const holdsOld = question.desired ? told.holdsOld : laggards.has(name)
      const judged = standingOf(node, { ...told, holdsOld, state, trust }, goal, now)
      return {
        node: name,
        pool,
        standing: judged.standing,
        why: judged.why,
        countsAt: judged.countsAt,
      }
    })
    .sort((a, b) => collator.compare(a.node, b.node))
}

const collator = new Intl.Collator('en', { numeric: true })

export const counts = ({ metadata }: Readonly<Node>): boolean => isLookedAfter(metadata.labels)

/** What the signer asks nodes. */
function questionOf(rotation: Readonly<TrustRotation>): Question | undefined {
  const { spec, status } = rotation
  if (!spec.trustedBy) return undefined
  const { fingerprint = '', notBefore } = status?.current ?? {}
  return {
    item: spec.trustedBy,
    authority: { fingerprint, notBefore: timeOf(notBefore) ?? 0 },
    settleMs: settleTimes(spec).nodeMs,
    desired: status?.desiredAuthorities && new Set(status.desiredAuthorities),
    former: new Set(),
  }
}

type Judged = Pick<NodeStanding, 'standing' | 'why' | 'countsAt'>

/** What a node reported, and how it is about the item. */
interface Reported extends Told {
  readonly trust: Readonly<NodeTrust> | undefined
  readonly state: string | undefined
}

function standingOf(node: Readonly<Node>, told: Reported, goal: Goal, now: number): Judged {
  const { trust, state } = told
  const isWaitedFor = !told.lists || (goal === 'letGo' && told.holdsOld)
  if (!isWaitedFor) return goal === 'letGo' ? { standing: 'done' } : loading(told, state, now)
  const off = notReady(node, now)
  if (off !== undefined) return { standing: 'failed', why: off }
  const usual = told.lists ? 'still holds the old CA' : usualReason(trust, state)
  return { standing: state === 'Failed' ? 'failed' : 'behind', why: told.why ?? usual }
}

function loading({ countsAt, why }: Told, state: string | undefined, now: number): Judged {
  if (countsAt <= now) return { standing: 'done' }
  if (countsAt !== Infinity) return { standing: 'settling', countsAt }
  return { standing: state === 'Failed' ? 'failed' : 'settling', why }
}

function usualReason(trust: Readonly<NodeTrust> | undefined, state: string | undefined): string {
  if (!trust) return 'has told nothing yet: does the daemon run there?'
  if (state === undefined) return 'tells nothing about it'
  return state === 'Rendered' ? 'waits for the rollout of its pool' : 'does not have it yet'
}

/** `NotReady since 14:02`; undefined if it is ready. */
export function notReady(node: Readonly<Node>, now: number): string | undefined {
  const { notReadySince: since } = factsOfNode(node)
  if (since === undefined) return undefined
  return since === 0 ? 'NotReady' : `NotReady since ${moment(since, now)}`
}
