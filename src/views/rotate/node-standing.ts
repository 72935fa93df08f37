import type { Node } from '@machinist/kube/kinds/core'
import { nodeFacts } from '@machinist/kube/nodes/node-facts'
import { isManaged } from '../../api/labels.ts'
import type { NodeTrust, TrustRotation } from '../../api/kinds/resources.ts'
import { poolOf, selectionOf } from '../../fleet/pools/pool-of-node.ts'
import type { TrustQuery, NodeCaReport } from '../../fleet/rotation/node-report.ts'
import { nodeCaReportOf } from '../../fleet/rotation/node-report.ts'
import { excusedNodes } from '../../fleet/rotation/override.ts'
import { settleTimes } from '../../fleet/rotation/settle-times.ts'
import { moment } from '../certs/validity.ts'
import type { RotationFacts } from './facts.ts'
import { toMilliseconds } from './times.ts'

/** What nodes must do next: trust the current CA, or remove the retiring ones. */
export type RotationGoal = 'trust' | 'letGo'

export const standings = ['done', 'settling', 'behind', 'failed', 'excused'] as const
export type Standing = (typeof standings)[number]

export interface NodeStanding {
  readonly node: string
  readonly pool?: string | undefined
  readonly standing: Standing
  readonly why?: string | undefined
  /** When the node counts as done, if only its settle time is left. */
  readonly countsAt?: number | undefined
}

/** Nodes remove an old CA only after the bundle no longer contains it. */
export function goalOf({ status }: Readonly<TrustRotation>): RotationGoal {
  const { phase, retiring = [] } = status ?? {}
  const isLeaving = phase === 'Completed' || phase === 'Completing'
  return isLeaving && retiring.length === 0 ? 'letGo' : 'trust'
}

/** Pure: the standing of each counted node, sorted by name. Undefined if no node is involved, or without permission to read them. */
export function standingsOf(
  { nodes, nodeTrusts, rotation, pools, now }: RotationFacts,
  goal: RotationGoal = goalOf(rotation),
): NodeStanding[] | undefined {
  const question = questionOf(rotation)
  if (!nodes || !nodeTrusts || !question) return undefined
  const trusts = new Map(nodeTrusts.map((trust) => [trust.metadata.name, trust]))
  const { spec, status } = rotation
  const excused = new Set(excusedNodes(spec.override, status?.current?.fingerprint))
  const laggards = new Set(status?.nodes?.laggards?.map(({ name }) => name))
  const selections = pools.map(selectionOf)
  return nodes
    .filter(isCounted)
    .map((node): NodeStanding => {
      const { name } = node.metadata
      const pool = poolOf(node, selections)
      if (excused.has(name)) return { node: name, pool, standing: 'excused' }
      const trust = trusts.get(name)
      const report = nodeCaReportOf(trust, node, question, now)
      const state = trust?.status?.items?.find((item) => item.name === question.item)?.state
      // If the signer does not publish the desired CAs, it lists the nodes that hold old ones.
      const holdsOld = question.desired ? report.holdsOld : laggards.has(name)
      const judged = standingOf(node, { ...report, holdsOld, state, trust }, goal, now)
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

export const isCounted = ({ metadata }: Readonly<Node>): boolean => isManaged(metadata.labels)

/** The evidence that the signer requires of nodes. */
function questionOf(rotation: Readonly<TrustRotation>): TrustQuery | undefined {
  const { spec, status } = rotation
  if (!spec.trustedBy) return undefined
  const { fingerprint = '', notBefore } = status?.current ?? {}
  return {
    item: spec.trustedBy,
    authority: { fingerprint, notBefore: toMilliseconds(notBefore) ?? 0 },
    settleMs: settleTimes(spec).nodeMs,
    desired: status?.desiredAuthorities && new Set(status.desiredAuthorities),
    former: new Set(),
  }
}

type Judged = Pick<NodeStanding, 'standing' | 'why' | 'countsAt'>

/** The report of a node, with the state of the item. */
interface Reported extends NodeCaReport {
  readonly trust: Readonly<NodeTrust> | undefined
  readonly state: string | undefined
}

function standingOf(
  node: Readonly<Node>,
  report: Reported,
  goal: RotationGoal,
  now: number,
): Judged {
  const { trust, state } = report
  const isWaitedFor = !report.lists || (goal === 'letGo' && report.holdsOld)
  if (!isWaitedFor) return goal === 'letGo' ? { standing: 'done' } : loading(report, state, now)
  const off = notReadySinceText(node, now)
  if (off !== undefined) return { standing: 'failed', why: off }
  const fallback = report.lists ? 'still trusts the old CA' : defaultReason(trust, state)
  return { standing: state === 'Failed' ? 'failed' : 'behind', why: report.why ?? fallback }
}

function loading({ countsAt, why }: NodeCaReport, state: string | undefined, now: number): Judged {
  if (countsAt <= now) return { standing: 'done' }
  if (countsAt !== Infinity) return { standing: 'settling', countsAt }
  return { standing: state === 'Failed' ? 'failed' : 'settling', why }
}

function defaultReason(trust: Readonly<NodeTrust> | undefined, state: string | undefined): string {
  if (!trust) return 'has not reported yet: check that the daemon runs there'
  if (state === undefined) return 'does not report this item'
  return state === 'Rendered' ? 'waiting for the rollout of its pool' : 'does not have it yet'
}

/** `NotReady since 14:02`; undefined if it is ready. */
export function notReadySinceText(node: Readonly<Node>, now: number): string | undefined {
  const { notReadySince: since } = nodeFacts(node)
  if (since === undefined) return undefined
  return since === 0 ? 'NotReady' : `NotReady since ${moment(since, now)}`
}
