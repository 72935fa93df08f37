import { systemClock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { Metrics } from '@machinist/core/metrics'
import { systemRandom } from '@machinist/core/random'
import type { KubeClient } from '@machinist/kube/client'
import { LeaseElection } from '@machinist/kube/lease-election'
import type { ElectionTiming } from '@machinist/kube/lease-election-record'
import { stopLimits } from '@machinist/kube/stop-limits'

export interface Leadership {
  /** Where the lease is. */
  readonly namespace: string
  /** Unique to this process, or to what can only run once. */
  readonly identity: string
  readonly timing: ElectionTiming
}

export interface Lead {
  /** Resolves when it was told to stop, and has: the lease is free then. */
  readonly ended: Promise<void>
  /** Why it is not ready, if it is not. Who waits for the lease is. */
  readonly unwell: () => string | undefined
}

/** What is done while the lease is held. */
export interface Led {
  readonly client: KubeClient
  readonly log: Logger
  readonly metrics: Metrics
  readonly lease: string
  /** Who does it, for messages: `the controllers`. */
  readonly who: string
  readonly run: (term: Term, signal: AbortSignal) => Promise<void>
}

export interface Term {
  /** How long what is under way may go on after the stop. */
  readonly stopGraceMs?: number
  /** To be called when the cluster is known and work is done. */
  readonly ready: () => void
}

/** Campaigns for the lease, and works whenever it is held. Without leadership it works at once. */
export function lead(led: Led, leadership: Leadership | undefined, signal: AbortSignal): Lead {
  const { client, log, metrics, lease, who, run } = led
  let knows = false
  const work = (term: AbortSignal, stopGraceMs?: number): Promise<void> => {
    knows = false
    const grace = stopGraceMs !== undefined && { stopGraceMs }
    return run({ ...grace, ready: () => (knows = true) }, term)
  }
  const notSynced = (): string | undefined =>
    knows ? undefined : `${who} does not know the cluster yet`
  if (!leadership) return { ended: work(signal), unwell: notSynced }
  const { namespace, identity, timing } = leadership
  const election = new LeaseElection({
    api: client,
    lease: { namespace, name: lease },
    identity,
    timing,
    // Not that of the work, which may be in a hurry: a lease is a promise to other processes.
    clock: systemClock,
    random: systemRandom,
    log,
    metrics,
  })
  // Whoever takes over must not find us at work.
  const graceMs = Math.min((timing.leaseMs - timing.renewMs) / 2, stopLimits.workMs)
  return {
    ended: election.lead(signal, (term) => work(term, graceMs)),
    unwell: () => {
      if (election.isLeader) return notSynced()
      return election.holder === undefined ? 'the lease was not seen yet' : undefined
    },
  }
}

/** Shares of the lease as the original has them: 137, 107 and 26 seconds. */
export function timingOf(leaseSeconds: number): ElectionTiming {
  const leaseMs = leaseSeconds * 1000
  return { leaseMs, renewMs: (leaseMs * 107) / 137, retryMs: (leaseMs * 26) / 137 }
}
