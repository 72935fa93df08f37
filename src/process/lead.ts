import { systemClock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { Metrics } from '@machinist/core/metrics'
import { systemRandom } from '@machinist/core/random'
import type { KubeClient } from '@machinist/kube/client/client'
import { LeaseElection } from '@machinist/kube/leases/lease-election'
import type { ElectionTiming } from '@machinist/kube/leases/lease-record'
import { stopLimits } from '@machinist/kube/stop-limits'

export interface Leadership {
  /** Namespace of the Lease. */
  readonly namespace: string
  /** Unique per process, unless only one process can run. */
  readonly identity: string
  readonly timing: ElectionTiming
}

export interface LeaderRun {
  /** Resolves when the task has stopped and the Lease is released. */
  readonly ended: Promise<void>
  /** Why it is not ready; undefined if it is. An instance that waits for the Lease is ready. */
  readonly notReady: () => string | undefined
}

/** A task that runs while this process holds the Lease. */
export interface LeaderTask {
  readonly client: KubeClient
  readonly log: Logger
  readonly metrics: Metrics
  readonly lease: string
  /** Its name in messages: `the controllers`. */
  readonly name: string
  readonly run: (term: LeaderTerm, signal: AbortSignal) => Promise<void>
}

export interface LeaderTerm {
  /** How long work in progress may continue after the stop. */
  readonly stopGraceMs?: number
  /** Called when the caches are synced and the task is running. */
  readonly ready: () => void
}

/** Runs a task while this process holds the Lease. Without leader election the task starts immediately. */
export function runAsLeader(
  task: LeaderTask,
  leadership: Leadership | undefined,
  signal: AbortSignal,
): LeaderRun {
  const { client, log, metrics, lease, name, run } = task
  let isSynced = false
  const work = (term: AbortSignal, stopGraceMs?: number): Promise<void> => {
    isSynced = false
    const grace = stopGraceMs !== undefined && { stopGraceMs }
    return run({ ...grace, ready: () => (isSynced = true) }, term)
  }
  const notSynced = (): string | undefined =>
    isSynced ? undefined : `the caches of ${name} are not synced yet`
  if (!leadership) return { ended: work(signal), notReady: notSynced }
  const { namespace, identity, timing } = leadership
  const election = new LeaseElection({
    api: client,
    lease: { namespace, name: lease },
    identity,
    timing,
    // The real clock, even if the task runs on an accelerated one: other processes rely on the Lease.
    clock: systemClock,
    random: systemRandom,
    log,
    metrics,
  })
  // Work must end before another process can take over.
  const graceMs = Math.min((timing.leaseMs - timing.renewMs) / 2, stopLimits.workMs)
  return {
    ended: election.lead(signal, (term) => work(term, graceMs)),
    notReady: () => {
      if (election.isLeader) return notSynced()
      return election.holder === undefined ? 'the Lease has not been read yet' : undefined
    },
  }
}

/** The same ratios as OpenShift: 137, 107 and 26 seconds. */
export function electionTiming(leaseSeconds: number): ElectionTiming {
  const leaseMs = leaseSeconds * 1000
  return { leaseMs, renewMs: (leaseMs * 107) / 137, retryMs: (leaseMs * 26) / 137 }
}
