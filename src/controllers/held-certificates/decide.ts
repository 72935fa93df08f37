import type { ConditionReport } from '../../api/conditions.ts'
import { certificatesHeld, conditionOf } from '../../api/conditions.ts'
import { nodePaths } from '../../api/node-paths.ts'
import type { MachineConfig, MachineConfigPool } from '../../api/resources.ts'
import type { CertificateDelivery } from '../../api/trust/items.ts'
import { timestamp } from '@machinist/core/timestamp'
import type { KubeletTrust } from './kubelet-ca.ts'
import { isSameTrust, kubeletCAIn, trustedUntil } from './kubelet-ca.ts'

/** Everything about one pool that counts here. */
export interface Facts {
  readonly pool: Readonly<MachineConfigPool>
  readonly delivery: CertificateDelivery
  /** What its nodes are in, and what they shall be in; undefined for what is not known. */
  readonly current: Readonly<MachineConfig> | undefined
  readonly wanted: Readonly<MachineConfig> | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
}

export interface Verdict {
  /** Undefined: there is nothing to say, and never was. */
  readonly report: ConditionReport | undefined
  /** For the alert: when the signer ends that nodes trust, in seconds since the epoch; 0 if nothing is held. */
  readonly metric: number
  /** After which time alone changes the verdict. */
  readonly againMs?: number
}

const reasons = {
  notHeld: 'NothingHeld',
  held: 'PoolPaused',
  endsSoon: 'KubeletCAEndsSoon',
  ended: 'KubeletCAEnded',
} as const

const dayMs = 86_400_000
/** From here on it is critical. */
const soonDays = 14

/** Pure. The first reason why nothing is held is the answer. */
export function decide(facts: Facts): Verdict {
  const { pool, now } = facts
  const free = whyNot(facts)
  if (free !== undefined) {
    const wasTold = conditionOf(pool.status?.conditions, certificatesHeld)
    const report = { ...notHeld, message: free }
    return { report: wasTold ? report : undefined, metric: 0 }
  }
  const trust = trustedUntil(kubeletCAIn(facts.current!) ?? '')
  const { until, isSigner } = trust
  const metric = isSigner ? Math.floor((until ?? 0) / 1000) : 0
  const report = heldReport(facts, trust)
  if (until === undefined || until <= now) return { report, metric }
  // A moment later there is a day less.
  return { report, metric, againMs: ((until - now) % dayMs) + 1 }
}

const notHeld: ConditionReport = {
  type: certificatesHeld,
  status: 'False',
  reason: reasons.notHeld,
}

/** Why nodes do not wait for a certificate; undefined if they do. */
function whyNot({ pool, delivery, current, wanted }: Facts): string | undefined {
  const { spec, status } = pool
  const [from, to] = [status?.configuration?.name, spec.configuration?.name]
  if (delivery === 'direct') return 'certificates go past MachineConfigs'
  if (!spec.paused) return 'the pool is not paused'
  if (!from || !to || from === to) return 'there is no other configuration for the nodes'
  const [has, shall] = [current && kubeletCAIn(current), wanted && kubeletCAIn(wanted)]
  if (shall === undefined) return `${to} has no ${nodePaths.kubeletCA}`
  if (has === undefined) return `${from} has no ${nodePaths.kubeletCA}`
  return isSameTrust(has, shall)
    ? `${nodePaths.kubeletCA} is the same in both configurations`
    : undefined
}

function heldReport({ pool, now }: Facts, trust: KubeletTrust): ConditionReport {
  const told = conditionOf(pool.status?.conditions, certificatesHeld)
  const since = (told?.status === 'True' && told.lastTransitionTime) || timestamp(now)
  const held = `since ${since} the pause keeps a new ${nodePaths.kubeletCA} from the nodes of this pool`
  const { reason, left } = leftIn(trust, now)
  const mend = 'unpause the pool, or deliver certificates directly'
  const message = `${reason === reasons.held ? '' : 'critical: '}${held}; ${left}: ${mend}`
  return { type: certificatesHeld, status: 'True', reason, message }
}

function leftIn(
  { until, isSigner }: KubeletTrust,
  now: number,
): { readonly reason: string; readonly left: string } {
  if (until === undefined) {
    return {
      reason: reasons.endsSoon,
      left: 'what they have holds no certificate that can be read',
    }
  }
  const which = isSigner ? 'the signer that they trust' : 'the last certificate that they trust'
  const days = Math.floor((until - now) / dayMs)
  if (days < 0) {
    const left = `${which} ended at ${timestamp(until)}, and logs, exec and metrics of their pods fail`
    return { reason: reasons.ended, left }
  }
  const rest = days === 1 ? '1 day' : `${days} days`
  const left = `${which} ends at ${timestamp(until)}, ${rest} left`
  return { reason: days < soonDays ? reasons.endsSoon : reasons.held, left }
}
