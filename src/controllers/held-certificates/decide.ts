import { timestamp } from '@machinist/core/timestamp'
import type { ConditionReport } from '../../api/conditions.ts'
import { certificatesHeld, conditionOf } from '../../api/conditions.ts'
import { nodePaths } from '../../api/node-paths.ts'
import type { HeldCertificatesFacts } from './facts.ts'
import type { KubeletTrust } from './kubelet-ca.ts'
import { isSameTrust, kubeletCAIn, trustedUntil } from './kubelet-ca.ts'

export interface HeldCertificatesPlan {
  /** Undefined if nothing is held and no condition exists. */
  readonly report: ConditionReport | undefined
  /** For the alert: when the trusted signer expires, in seconds since the epoch; 0 if nothing is held. */
  readonly metric: number
  /** The time after which the result changes. */
  readonly requeueAfterMs?: number
}

const reasons = {
  notHeld: 'NothingHeld',
  held: 'PoolPaused',
  endsSoon: 'KubeletCAEndsSoon',
  ended: 'KubeletCAEnded',
} as const

const dayMs = 86_400_000
/** From this number of days on it is critical. */
const soonDays = 14

/** Pure: the condition, the metric and the requeue time of a pool. */
export function decide(facts: HeldCertificatesFacts): HeldCertificatesPlan {
  const { pool, now } = facts
  const reason = notHeldReason(facts)
  if (reason !== undefined) {
    const before = conditionOf(pool.status?.conditions, certificatesHeld)
    const report = { ...notHeld, message: reason }
    return { report: before ? report : undefined, metric: 0 }
  }
  const trust = trustedUntil(kubeletCAIn(facts.current!) ?? '')
  const { until, isSigner } = trust
  const metric = isSigner ? Math.floor((until ?? 0) / 1000) : 0
  const report = heldReport(facts, trust)
  if (until === undefined || until <= now) return { report, metric }
  // The number of days decreases just after that.
  return { report, metric, requeueAfterMs: ((until - now) % dayMs) + 1 }
}

const notHeld: ConditionReport = {
  type: certificatesHeld,
  status: 'False',
  reason: reasons.notHeld,
}

/** Why no certificate is held; undefined if one is. */
function notHeldReason({
  pool,
  delivery,
  current,
  desired,
}: HeldCertificatesFacts): string | undefined {
  const { spec, status } = pool
  const [from, to] = [status?.configuration?.name, spec.configuration?.name]
  if (delivery === 'direct') return 'the trust lane delivers certificates directly'
  if (!spec.paused) return 'the pool is not paused'
  if (!from || !to || from === to) return 'the nodes run the desired config'
  const currentCA = current && kubeletCAIn(current)
  const desiredCA = desired && kubeletCAIn(desired)
  if (desiredCA === undefined) return `${to} has no ${nodePaths.kubeletCA}`
  if (currentCA === undefined) return `${from} has no ${nodePaths.kubeletCA}`
  return isSameTrust(currentCA, desiredCA)
    ? `${nodePaths.kubeletCA} is the same in both configs`
    : undefined
}

function heldReport({ pool, now }: HeldCertificatesFacts, trust: KubeletTrust): ConditionReport {
  const before = conditionOf(pool.status?.conditions, certificatesHeld)
  const since = (before?.status === 'True' && before.lastTransitionTime) || timestamp(now)
  const held = `since ${since} the pause keeps a new ${nodePaths.kubeletCA} from the nodes of this pool`
  const { reason, left } = remainingTime(trust, now)
  const advice = 'unpause the pool, or deliver certificates directly'
  const message = `${reason === reasons.held ? '' : 'critical: '}${held}; ${left}: ${advice}`
  return { type: certificatesHeld, status: 'True', reason, message }
}

function remainingTime(
  { until, isSigner }: KubeletTrust,
  now: number,
): { readonly reason: string; readonly left: string } {
  if (until === undefined) {
    return {
      reason: reasons.endsSoon,
      left: 'their current file contains no valid certificate',
    }
  }
  const subject = isSigner ? 'their trusted signer' : 'their last trusted certificate'
  const days = Math.floor((until - now) / dayMs)
  if (days < 0) {
    const left = `${subject} expired at ${timestamp(until)}, and logs, exec and metrics of their pods fail`
    return { reason: reasons.ended, left }
  }
  const rest = days === 1 ? '1 day' : `${days} days`
  const left = `${subject} expires at ${timestamp(until)}, ${rest} left`
  return { reason: days < soonDays ? reasons.endsSoon : reasons.held, left }
}
