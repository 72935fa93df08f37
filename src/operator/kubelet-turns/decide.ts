import type { KubeletTurnsFacts, TurnFacts } from './facts.ts'
import type { LostTurn } from './lost-turns.ts'

export interface TurnStep {
  readonly action: 'grant' | 'withdraw' | 'clear'
  readonly node: string
  /** The resourceVersion of the NodeTrust that the step is decided on. */
  readonly version?: string
}

export interface KubeletTurnsPlan {
  readonly steps: readonly TurnStep[]
  readonly granted: number
  readonly waiting: number
  /** When the next turn expires. */
  readonly requeueAfterMs?: number
}

/** A daemon that runs uses its turn within seconds. */
const startLimitMs = 2 * 60_000
/** A daemon gives its turn back five minutes after the restart at the latest. systemd may need minutes to stop a kubelet. */
const useLimitMs = 20 * 60_000

const workerTurns = 10
const workerShare = 0.02

/** How many kubelets outside of the control plane may restart at once: more in large clusters, so that all are done in half an hour. */
export const workerBudget = (workers: number): number =>
  Math.max(workerTurns, Math.floor(workers * workerShare))

/**
 * Pure: which turns to restart a kubelet are granted and taken back. Turns are taken back first; what they free is granted
 * when that is written. One node of the control plane has a turn at a time.
 */
export function decide(facts: KubeletTurnsFacts): KubeletTurnsPlan {
  const { turns, lost } = facts
  const held = turns.filter(({ heldMs }) => heldMs !== undefined)
  const waiting = turns.filter(
    ({ requestedAt, heldMs }) => requestedAt !== undefined && heldMs === undefined,
  )
  const released = turns.flatMap((each): TurnStep[] => {
    const { requestedAt, heldMs, wasWithdrawn } = each
    if (requestedAt === undefined) {
      return heldMs !== undefined || wasWithdrawn ? [stepFor(each, 'clear')] : []
    }
    return leftMs(each) <= 0 ? [stepFor(each, 'withdraw')] : []
  })
  const steps = released.length > 0 ? released : granted(waiting, held, facts)
  const requeueAfterMs = Math.min(...held.map(leftMs), ...lost.map((turn) => turn.leftMs))
  return {
    steps,
    granted: held.length,
    waiting: waiting.length,
    ...(Number.isFinite(requeueAfterMs) && { requeueAfterMs: Math.max(0, requeueAfterMs) }),
  }
}

const stepFor = ({ node, version }: TurnFacts, action: TurnStep['action']): TurnStep => ({
  action,
  node,
  ...(version !== undefined && { version }),
})

const leftMs = ({ heldMs, isStarted }: TurnFacts): number =>
  heldMs === undefined ? Infinity : (isStarted ? useLimitMs : startLimitMs) - heldMs

function granted(
  waiting: readonly TurnFacts[],
  held: readonly TurnFacts[],
  { workers, lost }: KubeletTurnsFacts,
): TurnStep[] {
  const first = (isControlPlane: boolean, budget: number): TurnStep[] => {
    const isOne = (each: LostTurn | TurnFacts): boolean => each.isControlPlane === isControlPlane
    const free = Math.max(0, budget - held.filter(isOne).length - lost.filter(isOne).length)
    const queue = waiting.filter(isOne).sort(byPriority).slice(0, free)
    return queue.map((each) => stepFor(each, 'grant'))
  }
  return [...first(true, 1), ...first(false, workerBudget(workers))]
}

/** Nodes that are likely to use their turn come first. NotReady nodes get turns too: a restart may make them Ready. */
function byPriority(a: TurnFacts, b: TurnFacts): number {
  return (
    Number(a.wasWithdrawn) - Number(b.wasWithdrawn) ||
    Number(b.isReady) - Number(a.isReady) ||
    compare(a.requestedAt ?? '', b.requestedAt ?? '') ||
    compare(a.node, b.node)
  )
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
