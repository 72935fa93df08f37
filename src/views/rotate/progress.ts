import { conditionOf, rotationConditions } from '../../api/conditions.ts'
import type {
  RotationPhase,
  TrustRotation,
  TrustRotationStatus,
} from '../../api/kinds/trust-rotation.ts'
import { rotationPhases } from '../../api/kinds/trust-rotation.ts'
import { rotationReasons } from '../../api/reasons.ts'
import { keyText } from '@machinist/core/resource'
import type { CoreEvent } from '@machinist/kube/kinds/events'
import type { Authority } from './authority.ts'
import { authorityOf } from './authority.ts'
import type { RotationFacts } from './facts.ts'
import { degradation } from './forecast.ts'
import type { Journal } from './journal.ts'
import type { Goal, NodeStanding, Standing } from './node-standing.ts'
import { goalOf, standings, standingsOf } from './node-standing.ts'
import { timeOf } from './times.ts'

/** How far a rotation is: everything that is shown of it. */
export interface Progress {
  readonly now: number
  readonly rotation: string
  /** Undefined: the signer has not reacted yet. */
  readonly phase: RotationPhase | undefined
  /** Since when it was asked for, if somebody here did. */
  readonly askedAt: number | undefined
  readonly began: number | undefined
  readonly isBack: boolean
  readonly current: Authority | undefined
  readonly old: readonly Authority[]
  readonly phases: readonly PhaseProgress[]
  readonly nodes: NodesProgress | undefined
  readonly certificates: readonly { readonly object: string; readonly isDone: boolean }[]
  readonly files: number
  readonly restarts: number
  readonly waitsFor: string | undefined
  /** That is said by `nodes` as well. */
  readonly isForNodes: boolean
  readonly degraded: string | undefined
  /** The newest last. */
  readonly events: readonly ToldEvent[]
  readonly unheardSince: number | undefined
}

export interface PhaseProgress {
  readonly phase: RotationPhase
  readonly state: 'over' | 'now' | 'ahead'
  /** As far as it was seen. */
  readonly ms: number | undefined
}

export interface NodesProgress {
  readonly goal: Goal
  readonly total: number
  readonly counts: Readonly<Record<Standing, number>>
  readonly pools: readonly { readonly pool: string; readonly nodes: readonly NodeStanding[] }[]
  /** Those that are waited for, those in trouble first. */
  readonly waitedFor: readonly NodeStanding[]
  /** When the last one counts of those that only time is missing for. */
  readonly settledAt?: number
}

export interface ToldEvent {
  readonly at: number
  readonly reason: string
  readonly message: string
}

/** Pure: `journal` has seen these facts already. */
export function progressOf(facts: RotationFacts, journal: Journal): Progress {
  const { rotation, now, unheardSince } = facts
  // What can be seen before the signer has reacted is not about this rotation.
  const known = journal.hasReacted(rotation.status) ? rotation.status : undefined
  const { began, askedAt, files, restarts } = journal
  const progressing = conditionOf(known?.conditions, rotationConditions.progressing)
  return {
    now,
    rotation: rotation.metadata.name,
    phase: known?.phase,
    askedAt,
    began,
    isBack: journal.isBack,
    current: known?.current && authorityOf(known.current),
    old: (known?.retiring ?? []).map(authorityOf),
    phases: phasesOf(known?.phase, journal, now),
    nodes: known && nodesProgress(facts),
    certificates: certificatesOf(rotation, known),
    files,
    restarts,
    waitsFor: progressing?.status === 'True' ? progressing.message : undefined,
    isForNodes: progressing?.reason === rotationReasons.waitingForNodes,
    degraded: degradation(rotation, now),
    events: eventsOf(facts.events, began),
    unheardSince,
  }
}

function certificatesOf(
  { spec }: Readonly<TrustRotation>,
  known: TrustRotationStatus | undefined,
): Progress['certificates'] {
  const current = known?.current?.fingerprint
  const done = new Set(
    (known?.targets ?? []).filter(({ signedBy }) => signedBy && signedBy === current).map(keyText),
  )
  return (spec.targets ?? []).map((target) => {
    const object = keyText(target)
    return { object, isDone: done.has(object) }
  })
}

function phasesOf(
  phase: RotationPhase | undefined,
  journal: Journal,
  now: number,
): PhaseProgress[] {
  const at = phase === undefined ? -1 : rotationPhases.indexOf(phase)
  return rotationPhases.map((each, i) => {
    const isLast = each === 'Completed'
    const isOver = i < at || (i === at && isLast)
    const ms = isLast || i > at ? undefined : journal.took(each, now)
    const state = isOver ? 'over' : i === at ? 'now' : 'ahead'
    return { phase: each, state, ms }
  })
}

function nodesProgress(facts: RotationFacts): NodesProgress | undefined {
  const goal = goalOf(facts.rotation)
  const all = standingsOf(facts)
  if (!all) return toldProgress(facts, goal)
  const counts = Object.fromEntries(standings.map((each) => [each, 0])) as Record<Standing, number>
  for (const { standing } of all) counts[standing] += 1
  const waitedFor = (['failed', 'behind'] as const).flatMap((standing) =>
    all.filter((each) => each.standing === standing),
  )
  const settled = all.flatMap(({ countsAt }) => countsAt ?? [])
  const byPool = Map.groupBy(all, ({ pool }) => pool ?? 'no pool')
  return {
    goal,
    total: all.length,
    counts,
    pools: [...byPool]
      .map(([pool, nodes]) => ({ pool, nodes }))
      .sort((a, b) => rank(a.pool) - rank(b.pool) || (a.pool < b.pool ? -1 : 1)),
    waitedFor,
    ...(settled.length > 0 && { settledAt: Math.max(...settled) }),
  }
}

/** Whoever may not see nodes has the signer's word for them. */
function toldProgress({ rotation }: RotationFacts, goal: Goal): NodesProgress | undefined {
  const told = rotation.status?.nodes
  if (!rotation.spec.trustedBy || told?.total === undefined) return undefined
  const { total, trusting = 0, excused = 0, holdingOld = 0, laggards = [] } = told
  const done = goal === 'trust' ? trusting : Math.max(total - excused - holdingOld, 0)
  const behind = Math.max(total - done - excused, 0)
  return {
    goal,
    total,
    counts: { done, settling: 0, behind, failed: 0, excused },
    pools: [],
    waitedFor: laggards.map(({ name, why }) => ({ node: name, standing: 'behind', why })),
  }
}

const rank = (pool: string): number => (pool === 'master' ? 0 : pool === 'no pool' ? 2 : 1)

/** What happened before it began is another story. */
function eventsOf(events: readonly Readonly<CoreEvent>[] = [], began = 0): ToldEvent[] {
  return events
    .flatMap((event) => {
      const { lastTimestamp, eventTime, series, metadata, reason = '', message = '' } = event
      const at =
        timeOf(series?.lastObservedTime) ??
        timeOf(lastTimestamp) ??
        timeOf(eventTime) ??
        timeOf(metadata.creationTimestamp)
      return at === undefined || at < began - 1000 ? [] : [{ at, reason, message }]
    })
    .sort((a, b) => a.at - b.at)
}
