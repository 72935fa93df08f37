import { keyText } from '@machinist/core/objects/resource'
import type { CoreEvent } from '@machinist/kube/kinds/events'
import { conditionOf, rotationConditions } from '../../api/conditions.ts'
import type {
  RotationPhase,
  TrustRotation,
  TrustRotationStatus,
} from '../../api/kinds/trust-rotation.ts'
import { rotationPhases } from '../../api/kinds/trust-rotation.ts'
import { rotationReasons } from '../../api/reasons.ts'
import type { RotationCA } from './authority.ts'
import { authorityOf } from './authority.ts'
import type { RotationFacts } from './facts.ts'
import { degradedText } from './forecast.ts'
import type { RotationJournal } from './journal.ts'
import type { RotationGoal, NodeStanding, Standing } from './node-standing.ts'
import { goalOf, standings, standingsOf } from './node-standing.ts'
import { toMilliseconds } from './times.ts'

/** The progress of a rotation, for display. */
export interface RotationProgress {
  readonly now: number
  readonly rotation: string
  /** Undefined until the signer reacts. */
  readonly phase: RotationPhase | undefined
  /** When this command requested the rotation, if it did. */
  readonly requestedAt: number | undefined
  readonly began: number | undefined
  readonly isBack: boolean
  readonly current: RotationCA | undefined
  readonly retiring: readonly RotationCA[]
  readonly phases: readonly PhaseProgress[]
  readonly nodes: NodesProgress | undefined
  readonly certificates: readonly { readonly object: string; readonly isDone: boolean }[]
  readonly files: number
  readonly restarts: number
  readonly waitsFor: string | undefined
  /** Whether `waitsFor` is about nodes, which `nodes` describes in detail. */
  readonly isWaitingForNodes: boolean
  readonly degraded: string | undefined
  /** The newest last. */
  readonly events: readonly ProgressEvent[]
  readonly disconnectedSince: number | undefined
}

export interface PhaseProgress {
  readonly phase: RotationPhase
  readonly state: 'over' | 'now' | 'ahead'
  /** The observed duration. */
  readonly ms: number | undefined
}

export interface NodesProgress {
  readonly goal: RotationGoal
  readonly total: number
  readonly counts: Readonly<Record<Standing, number>>
  readonly pools: readonly { readonly pool: string; readonly nodes: readonly NodeStanding[] }[]
  /** Nodes that the rotation waits for, failed ones first. */
  readonly waitedFor: readonly NodeStanding[]
  /** When the settle time of the last settling node ends. */
  readonly settledAt?: number
}

export interface ProgressEvent {
  readonly at: number
  readonly reason: string
  readonly message: string
}

/** Pure. `journal` must have recorded these facts. */
export function progressOf(facts: RotationFacts, journal: RotationJournal): RotationProgress {
  const { rotation, now, disconnectedSince } = facts
  // Before the signer reacts, the status is not about this rotation.
  const known = journal.hasReacted(rotation.status) ? rotation.status : undefined
  const { began, requestedAt, files, restarts } = journal
  const progressing = conditionOf(known?.conditions, rotationConditions.progressing)
  return {
    now,
    rotation: rotation.metadata.name,
    phase: known?.phase,
    requestedAt,
    began,
    isBack: journal.isBack,
    current: known?.current && authorityOf(known.current),
    retiring: (known?.retiring ?? []).map(authorityOf),
    phases: phasesOf(known?.phase, journal, now),
    nodes: known && nodesProgress(facts),
    certificates: certificatesOf(rotation, known),
    files,
    restarts,
    waitsFor: progressing?.status === 'True' ? progressing.message : undefined,
    isWaitingForNodes: progressing?.reason === rotationReasons.waitingForNodes,
    degraded: degradedText(rotation, now),
    events: eventsOf(facts.events, began),
    disconnectedSince,
  }
}

function certificatesOf(
  { spec }: Readonly<TrustRotation>,
  known: TrustRotationStatus | undefined,
): RotationProgress['certificates'] {
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
  journal: RotationJournal,
  now: number,
): PhaseProgress[] {
  const at = phase === undefined ? -1 : rotationPhases.indexOf(phase)
  return rotationPhases.map((each, i) => {
    const isLast = each === 'Completed'
    const isOver = i < at || (i === at && isLast)
    const ms = isLast || i > at ? undefined : journal.durationOf(each, now)
    const state = isOver ? 'over' : i === at ? 'now' : 'ahead'
    return { phase: each, state, ms }
  })
}

function nodesProgress(facts: RotationFacts): NodesProgress | undefined {
  const goal = goalOf(facts.rotation)
  const all = standingsOf(facts)
  if (!all) return reportedProgress(facts, goal)
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

/** Without permission to read Nodes, the progress is the one that the signer reports. */
function reportedProgress(
  { rotation }: RotationFacts,
  goal: RotationGoal,
): NodesProgress | undefined {
  const reported = rotation.status?.nodes
  if (!rotation.spec.trustedBy || reported?.total === undefined) return undefined
  const { total, trusting = 0, excused = 0, holdingOld = 0, laggards = [] } = reported
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

/** Events since the beginning of the rotation. */
function eventsOf(events: readonly Readonly<CoreEvent>[] = [], began = 0): ProgressEvent[] {
  return events
    .flatMap((event) => {
      const { lastTimestamp, eventTime, series, metadata, reason = '', message = '' } = event
      const at =
        toMilliseconds(series?.lastObservedTime) ??
        toMilliseconds(lastTimestamp) ??
        toMilliseconds(eventTime) ??
        toMilliseconds(metadata.creationTimestamp)
      return at === undefined || at < began - 1000 ? [] : [{ at, reason, message }]
    })
    .sort((a, b) => a.at - b.at)
}
