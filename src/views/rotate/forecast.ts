import { conditionOf, rotationConditions } from '../../api/conditions.ts'
import type { TrustRotation } from '../../api/resources.ts'
import type { TrustItem } from '../../api/trust/items.ts'
import { renderedItems, trustItems } from '../../api/trust/items.ts'
import { keyText } from '@machinist/core/resource'
import { poolOf, selectionOf } from '../../fleet/pools/pool-of-node.ts'
import { apiServerSettleMs as restsMs } from '../../fleet/trust/settle.ts'
import type { SettleTimes } from '../../fleet/rotation/settle-times.ts'
import { settleTimes } from '../../fleet/rotation/settle-times.ts'
import { moment } from '../certs/life.ts'
import type { Authority } from './authority.ts'
import { authorityOf } from './authority.ts'
import type { RotationFacts } from './facts.ts'
import { named } from '../wording.ts'
import type { NodeStanding } from './node-standing.ts'
import { counts, notReady, standingsOf } from './node-standing.ts'
import { timeOf } from './times.ts'

/** What a rotation would do now, and what is in its way. */
export interface Forecast {
  readonly rotation: string
  readonly signer: string
  readonly current?: Authority
  readonly trustedBy?: TrustItem
  /** Those that have to follow; undefined if nodes may not be read. */
  readonly nodes?: number
  /** Nodes that will hold it up as they are now. */
  readonly slow: readonly { readonly node: string; readonly why: string }[]
  /** It comes to them in MachineConfigs, pool by pool. */
  readonly isRendered: boolean
  /** Paused pools that keep the new CA from their nodes. */
  readonly held: readonly { readonly pool: string; readonly nodes: number }[]
  readonly restarts: 'none' | 'kubelets'
  readonly signed: readonly string[]
  /** It takes no less, if nodes are quick. */
  readonly leastMs: number
  /** Why it should not be done now. */
  readonly against: readonly string[]
}

/** Pure. */
export function forecastOf(facts: RotationFacts): Forecast {
  const { rotation, nodes } = facts
  const { spec, status, metadata } = rotation
  const { trustedBy } = spec
  return {
    rotation: metadata.name,
    signer: keyText(spec.signer),
    ...(status?.current && { current: authorityOf(status.current) }),
    ...(trustedBy && { trustedBy }),
    ...(trustedBy && nodes && { nodes: nodes.filter(counts).length }),
    slow: slowOnes(facts),
    isRendered: isRendered(facts),
    held: heldPools(facts),
    restarts: trustedBy === trustItems.apiServerCA ? 'kubelets' : 'none',
    signed: (spec.targets ?? []).map(keyText),
    leastMs: leastMs(trustedBy, settleTimes(spec)),
    against: reasonsAgainst(rotation, facts),
  }
}

/** Both when the new CA comes and when the old one goes, time passes even if all nodes are quick. */
function leastMs(trustedBy: TrustItem | undefined, { nodeMs, leafMs }: SettleTimes): number {
  // Where kubelets are restarted, nobody waits until they load it; but CAs go out to nodes only when they rest.
  return leafMs + (trustedBy === trustItems.apiServerCA ? 2 * restsMs : nodeMs)
}

/** Who is off, or behind already: they will not have the new CA any sooner. */
function slowOnes(facts: RotationFacts): Forecast['slow'] {
  const off = new Map(
    (facts.nodes ?? []).flatMap((node) => {
      const why = notReady(node, facts.now)
      return why === undefined ? [] : [[node.metadata.name, why] as const]
    }),
  )
  return (standingsOf(facts, 'trust') ?? []).flatMap(({ node, standing, why }) => {
    const known = off.get(node)
    if (known !== undefined) return [{ node, why: known }]
    const isSlow = standing === 'behind' || standing === 'failed'
    return isSlow ? [{ node, why: why ?? 'lags already' }] : []
  })
}

const isRendered = ({ rotation, delivery }: RotationFacts): boolean =>
  delivery === 'rendered' &&
  rotation.spec.trustedBy !== undefined &&
  renderedItems.has(rotation.spec.trustedBy)

function heldPools(facts: RotationFacts): Forecast['held'] {
  if (!isRendered(facts)) return []
  const { nodes = [], pools } = facts
  const selections = pools.map(selectionOf)
  const members = Map.groupBy(nodes.filter(counts), (node) => poolOf(node, selections))
  return pools
    .filter(({ spec }) => spec.paused)
    .map(({ metadata, status }) => {
      const seen = members.get(metadata.name)?.length
      return { pool: metadata.name, nodes: seen ?? status?.machineCount ?? 0 }
    })
}

function reasonsAgainst(rotation: Readonly<TrustRotation>, facts: RotationFacts): string[] {
  return [degradation(rotation, facts.now), underWay(rotation, facts)].filter(
    (each) => each !== undefined,
  )
}

/** Why it is Degraded, if it is. */
export function degradation(
  { metadata, status }: Readonly<TrustRotation>,
  now: number,
): string | undefined {
  const found = conditionOf(status?.conditions, rotationConditions.degraded)
  if (found?.status !== 'True') return undefined
  const reason = found.reason ? ` (${found.reason})` : ''
  return `${metadata.name} is Degraded${sinceText(found.lastTransitionTime, now)}${reason}: ${found.message ?? 'it does not say why'}`
}

function underWay(
  { metadata, status }: Readonly<TrustRotation>,
  facts: RotationFacts,
): string | undefined {
  const { phase, phaseSince } = status ?? {}
  if (!phase || phase === 'Completed') return undefined
  const who = holdingUp(facts)
  const held = who === '' ? '' : `, held up by ${who}`
  return `${metadata.name} is being rotated already: ${phase}${sinceText(phaseSince, facts.now)}${held}`
}

function holdingUp(facts: RotationFacts): string {
  const told = facts.rotation.status?.nodes?.laggards ?? []
  const seen = (standingsOf(facts) ?? []).filter(isWaitedFor)
  const all = told.length > 0 ? told.map(({ name, why }) => ({ node: name, why })) : seen
  return named(all, 3, Math.max(all.length, seen.length))
}

const isWaitedFor = ({ standing }: NodeStanding): boolean =>
  standing === 'behind' || standing === 'failed'

function sinceText(time: string | null | undefined, now: number): string {
  const since = timeOf(time)
  return since === undefined ? '' : ` since ${moment(since, now)}`
}
