import { count, plural } from '../wording.ts'
import type { NodeStanding } from './node-standing.ts'

import type { NodesProgress, RotationProgress } from './progress.ts'
import { clockTime, durationText } from './times.ts'

/** With more nodes, only counts and failed nodes are reported. */
const maxReported = 100
const maxNamed = 20

/** Pure: the changes since the previous progress, one line each: for logs and pipes. */
export function progressChanges(
  before: RotationProgress | undefined,
  after: RotationProgress,
): string[] {
  const changes = [
    ...phaseChanges(before, after),
    ...degradedChanges(before, after),
    ...nodeChanges(before?.nodes, after.nodes, after.now),
    ...certificateChanges(before, after),
  ]
  const timed = changes.map((text) => `${clockTime(after.now)} ${text}`)
  const all = [...eventChanges(before, after), ...timed]
  return all.map((text) => text.replaceAll(/\s+/g, ' '))
}

function phaseChanges(before: RotationProgress | undefined, after: RotationProgress): string[] {
  const { rotation, phase, current, isBack } = after
  if (before?.phase === phase && before) return waitChanges(before, after)
  if (phase === undefined) return [`${rotation} is waiting for the signer`]
  const took = after.phases.find((each) => each.phase === before?.phase)?.ms
  const ended =
    before?.phase === undefined || took === undefined
      ? ''
      : ` (${before.phase} took ${durationText(took)})`
  const ca = current ? `, ${isBack ? 'back to' : 'CA'} ${current.name}` : ''
  const line = `${rotation} is ${phase}${before?.phase === undefined ? ca : ''}${ended}`
  return [hasReason(after) ? `${line}: ${after.waitsFor}` : line]
}

function waitChanges(before: RotationProgress, after: RotationProgress): string[] {
  const { rotation, phase, waitsFor } = after
  return hasReason(after) && waitsFor !== before.waitsFor
    ? [`${rotation} is ${phase}: ${waitsFor}`]
    : []
}

/** Nodes that the rotation waits for are reported one by one instead. */
const hasReason = ({ waitsFor, isWaitingForNodes, nodes }: RotationProgress): boolean =>
  waitsFor !== undefined && waitsFor !== '' && !(isWaitingForNodes && nodes)

function degradedChanges(before: RotationProgress | undefined, after: RotationProgress): string[] {
  if (after.degraded === before?.degraded) return []
  return [after.degraded ?? `${after.rotation} is no longer Degraded`]
}

function nodeChanges(
  before: NodesProgress | undefined,
  after: NodesProgress | undefined,
  now: number,
): string[] {
  if (!after) return []
  const known = new Map(standingsIn(before).map((each) => [each.node, each]))
  const isChanged = (each: NodeStanding): boolean => {
    const old = known.get(each.node)
    return old?.standing !== each.standing || (each.standing === 'failed' && old.why !== each.why)
  }
  const changed = standingsIn(after).filter(isChanged)
  const isSameGoal = before?.goal === after.goal
  const reported =
    isSameGoal && after.total <= maxReported
      ? changed
      : changed.filter(({ standing }) => standing === 'failed')
  return [
    ...reported.slice(0, maxNamed).map((each) => standingText(each, after.goal, now)),
    ...(reported.length > maxNamed
      ? [`and ${plural(reported.length - maxNamed, 'more node')}`]
      : []),
    ...(isCountReported(before, after) ? [reachedText(after, 'the current CA')] : []),
  ]
}

const standingsIn = (nodes: NodesProgress | undefined): NodeStanding[] =>
  (nodes?.pools ?? []).flatMap((pool) => pool.nodes)

/** `4 of 7 nodes trust the new CA` */
export function reachedText({ counts, total, goal }: NodesProgress, ca: string): string {
  const trust = total === 1 ? 'trusts' : 'trust'
  const only = goal === 'trust' ? '' : 'only '
  return `${count(counts.done)} of ${plural(total, 'node')} ${trust} ${only}${ca}`
}

/** With many nodes, the count is reported for every 5 % of them, and for the last node. */
function isCountReported(before: NodesProgress | undefined, after: NodesProgress): boolean {
  if (before?.goal !== after.goal || before.total !== after.total) return true
  const step = Math.max(1, Math.floor(after.total / 20))
  const part = ({ counts, total }: NodesProgress): number =>
    counts.done === total ? Infinity : Math.floor(counts.done / step)
  return part(before) !== part(after)
}

const goals = { trust: 'trusts the current CA', letGo: 'has removed the old CA' } as const

function standingText(
  { node, standing, why, countsAt }: NodeStanding,
  goal: NodesProgress['goal'],
  now: number,
): string {
  const reason = why ? `: ${why}` : ''
  switch (standing) {
    case 'done':
      return `${node} ${goals[goal]}`
    case 'settling': {
      const when =
        countsAt === undefined ? reason : ` and counts in ${durationText(countsAt - now)}`
      return `${node} has it on disk${when}`
    }
    case 'excused':
      return `${node} is excluded`
    case 'failed':
      return `${node} failed${reason}`
    case 'behind':
      return `${node} is behind${reason}`
  }
}

function certificateChanges(
  before: RotationProgress | undefined,
  after: RotationProgress,
): string[] {
  if (!before || after.phase === undefined) return []
  const known = new Set(
    before.certificates.filter(({ isDone }) => isDone).map(({ object }) => object),
  )
  return after.certificates
    .filter(({ object, isDone }) => isDone && !known.has(object))
    .map(({ object }) => `${object} is signed by the current CA`)
}

/** New events with their own time; at first only the newest ones. */
function eventChanges(before: RotationProgress | undefined, after: RotationProgress): string[] {
  const text = ({ at, reason, message }: RotationProgress['events'][number]): string =>
    `${clockTime(at)} event ${reason}: ${message}`
  const known = new Set(before?.events.map(text))
  const changes = after.events.map(text).filter((each) => !known.has(each))
  return before ? changes : changes.slice(-maxPast)
}

const maxPast = 3
