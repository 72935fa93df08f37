import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { conditionOf, nodeTrustConditions, trustDelivered } from '../../api/conditions.ts'
import { isLookedAfter } from '../../api/labels.ts'
import type { NodeTrust } from '../../api/resources.ts'
import type { TrustDigests } from '../../api/trust/digests.ts'
import { readTrustDigests } from '../../api/trust/digests.ts'
import type { TrustItem } from '../../api/trust/items.ts'
import type { Condition, KubeObject } from '@machinist/core/resource'
import type { Node } from '@machinist/kube/kinds/core'
import type { Holding, Told } from '../../fleet/trust/judge.ts'
import { isBehind, judge, toldBy } from '../../fleet/trust/judge.ts'
import type { CertsFacts } from './facts.ts'

/** Who has an item. */
export interface NodesLine {
  readonly total: number
  readonly holding: number
  readonly lagging: readonly Lag[]
}

export interface Lag {
  readonly node: string
  readonly state: Holding
  /** Milliseconds since the epoch, as far as anybody noticed. */
  readonly since?: number
  readonly why: string
}

/** Undefined if the cluster does not give it, or if nothing is known about nodes. */
export function holdersOf(facts: CertsFacts, item: TrustItem): NodesLine | undefined {
  const { nodeTrusts, nodes } = facts
  if (!nodeTrusts) return undefined
  const digests = digestsIn(facts)
  const told = new Map(nodeTrusts.map((trust) => [trust.metadata.name, toldBy(trust.status)]))
  const isGiven = digests
    ? digests[item] !== undefined
    : [...told.values()].some((items) => items.has(item))
  if (!isGiven) return undefined
  const all = nodes?.filter(isOurs).map(({ metadata }) => metadata.name) ?? [...told.keys()]
  const lagging = all.flatMap((name) => {
    const said = told.get(name)?.get(item)
    const state = digests ? judge(digests[item], said) : (said?.state ?? 'Unknown')
    return isBehind(state) ? [lagOf(name, state, said, facts)] : []
  })
  return { total: all.length, holding: all.length - lagging.length, lagging }
}

function digestsIn({ controllerConfig }: CertsFacts): TrustDigests | undefined {
  const annotations = controllerConfig?.metadata.annotations
  return readTrustDigests(annotations?.[ownControllerConfigAnnotations.trustDigests])
}

export const isOurs = ({ metadata }: Node): boolean => isLookedAfter(metadata.labels)

function lagOf(node: string, state: Holding, told: Told | undefined, facts: CertsFacts): Lag {
  const { nodes, nodeTrusts } = facts
  const isIt = ({ metadata }: KubeObject): boolean => metadata.name === node
  const since = sinceOf(nodeTrusts?.find(isIt), facts)
  const why = notReady(nodes?.find(isIt)) ?? whyOf(state, told)
  return { node, state, ...(since !== undefined && { since }), why }
}

function whyOf(state: Holding, told: Told | undefined): string {
  if (!told) return 'has told nothing about it'
  if (told.why !== undefined) return state === 'Failed' ? `failed: ${told.why}` : told.why
  if (told.state === 'Rendered') return 'waits for the rollout of its pool'
  return state === 'Failed' ? 'failed' : 'has not taken it over yet'
}

/** The first thing to look at. */
export function notReady(node: Node | undefined): string | undefined {
  if (!node) return undefined
  const ready = conditionOf(node.status?.conditions, 'Ready')
  return ready?.status === 'True' ? undefined : 'NotReady'
}

/** A node that knows that it lags says since when; of one that does not know, the operator does. */
function sinceOf(
  trust: NodeTrust | undefined,
  { controllerConfig }: CertsFacts,
): number | undefined {
  const own = conditionOf(trust?.status?.conditions, nodeTrustConditions.current)
  const ours = conditionOf(controllerConfig?.status?.conditions, trustDelivered)
  return falseSince(own) ?? falseSince(ours)
}

function falseSince(condition: Condition | undefined): number | undefined {
  if (condition?.status !== 'False') return undefined
  const since = Date.parse(condition.lastTransitionTime ?? '')
  return Number.isFinite(since) ? since : undefined
}
