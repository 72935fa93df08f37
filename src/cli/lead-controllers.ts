import { systemClock } from '../base/clock.ts'
import { systemRandom } from '../base/random.ts'
import type { ControllersOptions } from '../controllers/run-controllers.ts'
import { runControllers } from '../controllers/run-controllers.ts'
import { LeaseElection } from '../kube/lease-election.ts'
import type { ElectionTiming } from '../kube/lease-election-record.ts'

/** As those who look after clusters know it. */
const leaseName = 'machine-config-controller'

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

/** Campaigns for the lease, and runs all controllers whenever it is held. Without leadership they run at once. */
export function leadControllers(
  options: Omit<ControllersOptions, 'ready'>,
  leadership: Leadership | undefined,
  signal: AbortSignal,
): Lead {
  let knows = false
  const work = (term: AbortSignal, stopGraceMs?: number): Promise<void> => {
    knows = false
    const grace = stopGraceMs !== undefined && { stopGraceMs }
    return runControllers({ ...options, ...grace, ready: () => (knows = true) }, term)
  }
  const notSynced = (): string | undefined =>
    knows ? undefined : 'the controllers do not know the cluster yet'
  if (!leadership) return { ended: work(signal), unwell: notSynced }
  const { namespace, identity, timing } = leadership
  const election = new LeaseElection({
    api: options.client,
    lease: { namespace, name: leaseName },
    identity,
    timing,
    // Not that of the controllers, which may be in a hurry: a lease is a promise to other processes.
    clock: systemClock,
    random: systemRandom,
    log: options.log,
    metrics: options.metrics,
  })
  // Whoever takes over must not find us at work.
  const graceMs = (timing.leaseMs - timing.renewMs) / 2
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
