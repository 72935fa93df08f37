import { conditionOf, poolConditions } from '../../api/conditions.ts'
import { labels } from '../../api/labels.ts'
import type { MachineConfigPool } from '../../api/resources.ts'
import type { ConfigurationFacts } from './configuration-problem.ts'
import { configurationProblem } from './configuration-problem.ts'
import { poolText } from './pool-text.ts'

export type Readiness =
  | { readonly state: 'ready' }
  /** `untilMs` is when patience ends, if the pool says since when it has been under way. */
  | { readonly state: 'waiting'; readonly message: string; readonly untilMs?: number }
  | { readonly state: 'failed'; readonly message: string }

export interface PoolsFacts extends ConfigurationFacts {
  readonly pools: readonly Readonly<MachineConfigPool>[]
  /** Since when the cluster has been on its way to this release, if it is. */
  readonly upgradingSince?: string | undefined
  readonly nowMs: number
}

/** How long each machine of the required pools may take. */
const patiencePerMachineMs = 600_000

/**
 * Whether the pools that an upgrade waits for are at this release: the first that failed, else the first that is under way.
 * Waiting ends: what takes longer than it may has failed.
 */
export function requiredPools(facts: PoolsFacts): Readiness {
  const pools = facts.pools.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  const machines = pools
    .filter(isRequired)
    .reduce((sum, { status }) => sum + (status?.machineCount ?? 0), 0)
  // A pool that has not counted its machines yet has at least one to come.
  const patienceMs = Math.max(machines, 1) * patiencePerMachineMs
  const all = pools.map((pool) => inTime(readinessOf(pool, facts), facts.nowMs, patienceMs))
  return (
    all.find(({ state }) => state === 'failed') ??
    all.find(({ state }) => state === 'waiting') ?? { state: 'ready' }
  )
}

const isRequired = ({ metadata }: Readonly<MachineConfigPool>): boolean =>
  Object.hasOwn(metadata.labels ?? {}, labels.requiredForUpgrade)

/** Not yet ready, and since when, if that is known. */
interface Unfinished {
  readonly state: 'unfinished'
  readonly message: string
  readonly since: string | undefined
}

type Verdict = Extract<Readiness, { state: 'ready' | 'failed' }> | Unfinished

function readinessOf(pool: Readonly<MachineConfigPool>, facts: PoolsFacts): Verdict {
  const degraded = conditionOf(pool.status?.conditions, poolConditions.degraded)
  if (degraded?.status === 'True') {
    const message = degradedText(pool, degraded.message)
    // One that no upgrade waits for may still mend itself.
    if (isRequired(pool)) return { state: 'failed', message }
    return { state: 'unfinished', message, since: degraded.lastTransitionTime ?? undefined }
  }
  return isRequired(pool) ? progressOf(pool, facts) : { state: 'ready' }
}

function progressOf(pool: Readonly<MachineConfigPool>, facts: PoolsFacts): Verdict {
  const { metadata, spec, status } = pool
  const problem = configurationProblem(pool, facts)
  const updated = conditionOf(status?.conditions, poolConditions.updated)
  const isUpdated = updated?.status === 'True'
  if (!problem && isUpdated && isObserved(pool)) return { state: 'ready' }
  const what = `required MachineConfigPool ${metadata.name}`
  if (spec.paused) {
    const pending = problem || !isUpdated ? 'changes are waiting' : 'no change is waiting yet'
    const message = `${what} is paused and cannot follow until it is unpaused; ${pending}`
    return { state: 'failed', message }
  }
  const message = `${what} is not ready: ${problem ?? poolText(pool)}`
  const since = isUpdated ? facts.upgradingSince : (updated?.lastTransitionTime ?? undefined)
  return { state: 'unfinished', message, since }
}

const isObserved = ({ metadata, status }: Readonly<MachineConfigPool>): boolean =>
  (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0)

function inTime(verdict: Verdict, nowMs: number, patienceMs: number): Readiness {
  if (verdict.state !== 'unfinished') return verdict
  const { message, since } = verdict
  const sinceMs = since === undefined ? Number.NaN : Date.parse(since)
  if (Number.isNaN(sinceMs)) return { state: 'waiting', message }
  const untilMs = sinceMs + patienceMs
  if (nowMs < untilMs) return { state: 'waiting', message, untilMs }
  return { state: 'failed', message: `during syncRequiredMachineConfigPools: ${message}` }
}

function degradedText({ metadata, status = {} }: Readonly<MachineConfigPool>, why = ''): string {
  const { machineCount = 0, readyMachineCount = 0 } = status
  const { updatedMachineCount = 0, unavailableMachineCount = 0 } = status
  const counts = `total: ${machineCount}, ready ${readyMachineCount}, updated: ${updatedMachineCount}, unavailable: ${unavailableMachineCount}`
  return `MachineConfigPool ${metadata.name} is not ready, retrying. Status: (pool degraded: true ${counts}, reason: ${why})`
}
