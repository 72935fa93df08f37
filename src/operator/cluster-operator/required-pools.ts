import { conditionOf, poolConditions } from '../../api/conditions.ts'
import { labels } from '../../api/labels.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import type { ConfigurationFacts } from './configuration-problem.ts'
import { configurationProblem } from './configuration-problem.ts'
import { poolText } from './pool-text.ts'

export type Readiness =
  | { readonly state: 'ready' }
  /** `untilMs` is the deadline, if the start of the update is known. */
  | { readonly state: 'waiting'; readonly message: string; readonly untilMs?: number }
  | { readonly state: 'failed'; readonly message: string }

export interface RequiredPoolsFacts extends ConfigurationFacts {
  readonly pools: readonly Readonly<MachineConfigPool>[]
  /** Since when the cluster has been upgrading to this release, if it is. */
  readonly upgradingSince?: string | undefined
  readonly nowMs: number
}

/** The timeout per machine of the required pools. */
const timeoutPerMachineMs = 600_000

/**
 * Whether the pools that an upgrade waits for are at this release: the first failed pool, or else the first waiting one. A pool
 * that exceeds its timeout has failed.
 */
export function requiredPools(facts: RequiredPoolsFacts): Readiness {
  const pools = facts.pools.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  const machines = pools
    .filter(isRequired)
    .reduce((sum, { status }) => sum + (status?.machineCount ?? 0), 0)
  // A pool without a machine count yet has at least one machine.
  const timeoutMs = Math.max(machines, 1) * timeoutPerMachineMs
  const all = pools.map((pool) => withDeadline(readinessOf(pool, facts), facts.nowMs, timeoutMs))
  return (
    all.find(({ state }) => state === 'failed') ??
    all.find(({ state }) => state === 'waiting') ?? { state: 'ready' }
  )
}

const isRequired = ({ metadata }: Readonly<MachineConfigPool>): boolean =>
  Object.hasOwn(metadata.labels ?? {}, labels.requiredForUpgrade)

/** Not ready yet, and since when, if that is known. */
interface Unfinished {
  readonly state: 'unfinished'
  readonly message: string
  readonly since: string | undefined
}

type PoolVerdict = Extract<Readiness, { state: 'ready' | 'failed' }> | Unfinished

function readinessOf(pool: Readonly<MachineConfigPool>, facts: RequiredPoolsFacts): PoolVerdict {
  const degraded = conditionOf(pool.status?.conditions, poolConditions.degraded)
  if (degraded?.status === 'True') {
    const message = degradedText(pool, degraded.message)
    // A pool that upgrades do not wait for may recover.
    if (isRequired(pool)) return { state: 'failed', message }
    return { state: 'unfinished', message, since: degraded.lastTransitionTime ?? undefined }
  }
  return isRequired(pool) ? progressOf(pool, facts) : { state: 'ready' }
}

function progressOf(pool: Readonly<MachineConfigPool>, facts: RequiredPoolsFacts): PoolVerdict {
  const { metadata, spec, status } = pool
  const problem = configurationProblem(pool, facts)
  const updated = conditionOf(status?.conditions, poolConditions.updated)
  const isUpdated = updated?.status === 'True'
  if (!problem && isUpdated && isObserved(pool)) return { state: 'ready' }
  const what = `required MachineConfigPool ${metadata.name}`
  if (spec.paused) {
    const pending = problem || !isUpdated ? 'changes are pending' : 'no changes are pending yet'
    const message = `${what} is paused; unpause it to continue the upgrade; ${pending}`
    return { state: 'failed', message }
  }
  const message = `${what} is not ready: ${problem ?? poolText(pool)}`
  const since = isUpdated ? facts.upgradingSince : (updated?.lastTransitionTime ?? undefined)
  return { state: 'unfinished', message, since }
}

const isObserved = ({ metadata, status }: Readonly<MachineConfigPool>): boolean =>
  (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0)

function withDeadline(verdict: PoolVerdict, nowMs: number, timeoutMs: number): Readiness {
  if (verdict.state !== 'unfinished') return verdict
  const { message, since } = verdict
  const sinceMs = since === undefined ? Number.NaN : Date.parse(since)
  if (Number.isNaN(sinceMs)) return { state: 'waiting', message }
  const untilMs = sinceMs + timeoutMs
  if (nowMs < untilMs) return { state: 'waiting', message, untilMs }
  return { state: 'failed', message: `during syncRequiredMachineConfigPools: ${message}` }
}

function degradedText({ metadata, status = {} }: Readonly<MachineConfigPool>, why = ''): string {
  const { machineCount = 0, readyMachineCount = 0 } = status
  const { updatedMachineCount = 0, unavailableMachineCount = 0 } = status
  const counts = `total: ${machineCount}, ready ${readyMachineCount}, updated: ${updatedMachineCount}, unavailable: ${unavailableMachineCount}`
  return `MachineConfigPool ${metadata.name} is not ready, retrying. Status: (pool degraded: true ${counts}, reason: ${why})`
}
