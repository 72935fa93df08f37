import { harmless } from '../style.ts'
import { plural } from '../../views/wording.ts'
import type { NodeStanding } from '../../views/rotate/node-standing.ts'
import { reached } from './nodes-picture.ts'
import type { NodesProgress, Progress } from '../../views/rotate/progress.ts'
import { clockTime, lasting } from '../../views/rotate/times.ts'

/** With more nodes than this, only how many there are is told, and who is in trouble. */
const mostTold = 100
const mostNamed = 20

/** Pure: what is new, one line per change: for logs and pipes. */
export function changes(before: Progress | undefined, after: Progress): string[] {
  const news = [
    ...phaseChanges(before, after),
    ...degradedChanges(before, after),
    ...nodeChanges(before?.nodes, after.nodes, after.now),
    ...certificateChanges(before, after),
  ]
  const timed = news.map((text) => `${clockTime(after.now)} ${text}`)
  const all = [...eventChanges(before, after), ...timed]
  return all.map((text) => harmless(text.replaceAll(/\s+/g, ' ')))
}

function phaseChanges(before: Progress | undefined, after: Progress): string[] {
  const { rotation, phase, current, isBack } = after
  if (before?.phase === phase && before) return waitChanges(before, after)
  if (phase === undefined) return [`${rotation} waits for the signer`]
  const took = after.phases.find((each) => each.phase === before?.phase)?.ms
  const ended =
    before?.phase === undefined || took === undefined
      ? ''
      : ` (${before.phase} took ${lasting(took)})`
  const ca = current ? `, ${isBack ? 'back to' : 'CA'} ${current.name}` : ''
  const now = `${rotation} is ${phase}${before?.phase === undefined ? ca : ''}${ended}`
  return [isNews(after) ? `${now}: ${after.waitsFor}` : now]
}

function waitChanges(before: Progress, after: Progress): string[] {
  const { rotation, phase, waitsFor } = after
  return isNews(after) && waitsFor !== before.waitsFor
    ? [`${rotation} is ${phase}: ${waitsFor}`]
    : []
}

/** Who is waited for is told node by node. */
const isNews = ({ waitsFor, isForNodes, nodes }: Progress): boolean =>
  waitsFor !== undefined && waitsFor !== '' && !(isForNodes && nodes)

function degradedChanges(before: Progress | undefined, after: Progress): string[] {
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
  const isOther = (each: NodeStanding): boolean => {
    const old = known.get(each.node)
    return old?.standing !== each.standing || (each.standing === 'failed' && old.why !== each.why)
  }
  const news = standingsIn(after).filter(isOther)
  const isSameGoal = before?.goal === after.goal
  const told =
    isSameGoal && after.total <= mostTold
      ? news
      : news.filter(({ standing }) => standing === 'failed')
  return [
    ...told.slice(0, mostNamed).map((each) => standingText(each, after.goal, now)),
    ...(told.length > mostNamed ? [`and ${plural(told.length - mostNamed, 'more node')}`] : []),
    ...(isWorthTelling(before, after) ? [reached(after, 'the current CA')] : []),
  ]
}

const standingsIn = (nodes: NodesProgress | undefined): NodeStanding[] =>
  (nodes?.pools ?? []).flatMap((pool) => pool.nodes)

/** Of many nodes every twentieth part is told, and the last. */
function isWorthTelling(before: NodesProgress | undefined, after: NodesProgress): boolean {
  if (before?.goal !== after.goal || before.total !== after.total) return true
  const step = Math.max(1, Math.floor(after.total / 20))
  const part = ({ counts, total }: NodesProgress): number =>
    counts.done === total ? Infinity : Math.floor(counts.done / step)
  return part(before) !== part(after)
}

const goals = { trust: 'trusts the current CA', letGo: 'has let the old CA go' } as const

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
      const when = countsAt === undefined ? reason : ` and counts in ${lasting(countsAt - now)}`
      return `${node} has it on disk${when}`
    }
    case 'excused':
      return `${node} is not waited for`
    case 'failed':
      return `${node} is in trouble${reason}`
    case 'behind':
      return `${node} is waited for${reason}`
  }
}

function certificateChanges(before: Progress | undefined, after: Progress): string[] {
  if (!before || after.phase === undefined) return []
  const known = new Set(
    before.certificates.filter(({ isDone }) => isDone).map(({ object }) => object),
  )
  return after.certificates
    .filter(({ object, isDone }) => isDone && !known.has(object))
    .map(({ object }) => `${object} is signed by the current CA`)
}

/** With the time at which it happened; of those that nobody here has waited for, the newest. */
function eventChanges(before: Progress | undefined, after: Progress): string[] {
  const text = ({ at, reason, message }: Progress['events'][number]): string =>
    `${clockTime(at)} event ${reason}: ${message}`
  const known = new Set(before?.events.map(text))
  const news = after.events.map(text).filter((each) => !known.has(each))
  return before ? news : news.slice(-mostPast)
}

const mostPast = 3
