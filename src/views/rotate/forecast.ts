import { keyText } from '@machinist/core/objects/resource'
import { conditionOf, rotationConditions } from '../../api/conditions.ts'
import type { TrustRotation } from '../../api/kinds/resources.ts'
import type { TrustItem } from '../../api/trust/items.ts'
import { renderedItems, trustItems } from '../../api/trust/items.ts'
import { poolOf, selectionOf } from '../../fleet/pools/pool-of-node.ts'
import { apiServerSettleMs as restsMs } from '../../fleet/trust/settle.ts'
import type { SettleTimes } from '../../fleet/rotation/settle-times.ts'
import { settleTimes, userDataSettleMs } from '../../fleet/rotation/settle-times.ts'
import { moment } from '../certs/validity.ts'
import { nodesWithReasons } from '../wording.ts'
import type { RotationCA } from './authority.ts'
import { authorityOf } from './authority.ts'
import type { RotationFacts } from './facts.ts'
import type { NodeStanding } from './node-standing.ts'
import { isCounted, notReadySinceText, standingsOf } from './node-standing.ts'
import { toMilliseconds } from './times.ts'

/** The effects of a rotation, and what prevents it. */
export interface RotationForecast {
  readonly rotation: string
  readonly signer: string
  readonly current?: RotationCA
  readonly trustedBy?: TrustItem
  /** How long the user data of all pools must contain the new CA; undefined if it does not depend on it. */
  readonly userDataMs?: number
  /** Number of nodes that must trust the new CA; undefined without permission to read Nodes. */
  readonly nodes?: number
  /** Nodes that will delay it. */
  readonly slow: readonly { readonly node: string; readonly why: string }[]
  /** Whether MachineConfigs deliver it, pool by pool. */
  readonly isRendered: boolean
  /** Paused pools, whose nodes do not get the new CA. */
  readonly held: readonly { readonly pool: string; readonly nodes: number }[]
  readonly restarts: 'none' | 'kubelets'
  readonly signed: readonly string[]
  /** Minimum duration. */
  readonly leastMs: number
  /** Reasons not to start it now. */
  readonly against: readonly string[]
}

/** Pure. */
export function forecastOf(facts: RotationFacts): RotationForecast {
  const { rotation, nodes } = facts
  const { spec, status, metadata } = rotation
  const { trustedBy } = spec
  const userDataMs = userDataSettleMs(spec)
  return {
    rotation: metadata.name,
    signer: keyText(spec.signer),
    ...(status?.current && { current: authorityOf(status.current) }),
    ...(trustedBy && { trustedBy }),
    ...(userDataMs !== undefined && { userDataMs }),
    ...(trustedBy && nodes && { nodes: nodes.filter(isCounted).length }),
    slow: slowNodes(facts),
    isRendered: isRendered(facts),
    held: heldPools(facts),
    restarts: trustedBy === trustItems.apiServerCA ? 'kubelets' : 'none',
    signed: (spec.targets ?? []).map(keyText),
    leastMs: leastMs(trustedBy, userDataMs, settleTimes(spec)),
    against: reasonsAgainst(rotation, facts),
  }
}

/** The settle times pass even if all nodes are fast. */
function leastMs(
  trustedBy: TrustItem | undefined,
  userDataMs = 0,
  { nodeMs, leafMs }: SettleTimes,
): number {
  // Restarted kubelets need no settle time, but CAs are delivered only after they have not changed for a while.
  const nodesMs = trustedBy === trustItems.apiServerCA ? 2 * restsMs : nodeMs
  return leafMs + Math.max(nodesMs, userDataMs)
}

/** Nodes that are down or already behind. */
function slowNodes(facts: RotationFacts): RotationForecast['slow'] {
  const off = new Map(
    (facts.nodes ?? []).flatMap((node) => {
      const why = notReadySinceText(node, facts.now)
      return why === undefined ? [] : [[node.metadata.name, why] as const]
    }),
  )
  return (standingsOf(facts, 'trust') ?? []).flatMap(({ node, standing, why }) => {
    const known = off.get(node)
    if (known !== undefined) return [{ node, why: known }]
    const isSlow = standing === 'behind' || standing === 'failed'
    return isSlow ? [{ node, why: why ?? 'already lags' }] : []
  })
}

const isRendered = ({ rotation, delivery }: RotationFacts): boolean =>
  delivery === 'rendered' &&
  rotation.spec.trustedBy !== undefined &&
  renderedItems.has(rotation.spec.trustedBy)

function heldPools(facts: RotationFacts): RotationForecast['held'] {
  if (!isRendered(facts)) return []
  const { nodes = [], pools } = facts
  const selections = pools.map(selectionOf)
  const members = Map.groupBy(nodes.filter(isCounted), (node) => poolOf(node, selections))
  return pools
    .filter(({ spec }) => spec.paused)
    .map(({ metadata, status }) => {
      const observed = members.get(metadata.name)?.length
      return { pool: metadata.name, nodes: observed ?? status?.machineCount ?? 0 }
    })
}

function reasonsAgainst(rotation: Readonly<TrustRotation>, facts: RotationFacts): string[] {
  return [degradedText(rotation, facts.now), inProgressText(rotation, facts)].filter(
    (each) => each !== undefined,
  )
}

/** Why the rotation is Degraded; undefined if it is not. */
export function degradedText(
  { metadata, status }: Readonly<TrustRotation>,
  now: number,
): string | undefined {
  const found = conditionOf(status?.conditions, rotationConditions.degraded)
  if (found?.status !== 'True') return undefined
  const reason = found.reason ? ` (${found.reason})` : ''
  return `${metadata.name} is Degraded${sinceText(found.lastTransitionTime, now)}${reason}: ${found.message ?? 'no message'}`
}

function inProgressText(
  { metadata, status }: Readonly<TrustRotation>,
  facts: RotationFacts,
): string | undefined {
  const { phase, phaseSince } = status ?? {}
  if (!phase || phase === 'Completed') return undefined
  const nodes = delayingNodes(facts)
  const delayed = nodes === '' ? '' : `, delayed by ${nodes}`
  return `a rotation of ${metadata.name} is in progress: ${phase}${sinceText(phaseSince, facts.now)}${delayed}`
}

function delayingNodes(facts: RotationFacts): string {
  const reported = facts.rotation.status?.nodes?.laggards ?? []
  const observed = (standingsOf(facts) ?? []).filter(isWaitedFor)
  const all =
    reported.length > 0 ? reported.map(({ name, why }) => ({ node: name, why })) : observed
  return nodesWithReasons(all, 3, Math.max(all.length, observed.length))
}

const isWaitedFor = ({ standing }: NodeStanding): boolean =>
  standing === 'behind' || standing === 'failed'

function sinceText(time: string | null | undefined, now: number): string {
  const since = toMilliseconds(time)
  return since === undefined ? '' : ` since ${moment(since, now)}`
}
