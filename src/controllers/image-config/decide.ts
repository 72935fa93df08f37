import { clusterSettingsReasons as reasons } from '../../api/reasons.ts'
import type { MachineConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import { containerdProblems, unservedKindProblem } from './cluster-problems.ts'
import type { ImageConfigFacts } from './facts.ts'
import { stampedLeftovers } from './leftovers.ts'
import type { Problem } from './model/problem.ts'
import { machineConfigName } from './names.ts'
import type { ImageSettings } from './node-files.ts'
import { readImageSettings } from './node-files.ts'
import type { PoolPlan } from './pool-plan.ts'
import { planPool } from './pool-plan.ts'

export interface ImageConfigPlan {
  /** MachineConfigs that this controller no longer generates, stamped with this build. */
  readonly leftovers: readonly MachineConfig[]
  /** Undefined if a required object is missing. */
  readonly settings: ImageSettings | undefined
  /** The pools that do not wait. */
  readonly pools: ReadonlyMap<Readonly<MachineConfigPool>, PoolPlan>
  readonly waits: readonly string[]
}

/** Pure. Decides each pool independently: a pool that waits does not block others. */
export function decide(facts: ImageConfigFacts): ImageConfigPlan {
  const lost = facts.lost.map(unservedKindProblem)
  const settings = settingsOf(facts, lost)
  const pools = new Map<Readonly<MachineConfigPool>, PoolPlan>()
  const waits: string[] = []
  for (const [pool, base] of facts.bases) {
    const { name } = pool.metadata
    const stored = facts.stored.get(machineConfigName(name))
    if (!settings) pools.set(pool, { spec: stored?.spec, problems: lost })
    else if ('waitsFor' in base) waits.push(`pool ${name} waits for ${base.waitsFor}`)
    else if ('files' in base) pools.set(pool, planPool(settings, base.files, stored))
    else {
      const { unreadable: message } = base
      const problem: Problem = { reason: reasons.noBase, effect: 'held', message }
      pools.set(pool, { spec: stored?.spec, problems: [problem, ...settings.problems] })
    }
  }
  return { leftovers: stampedLeftovers(facts), settings, pools, waits }
}

function settingsOf(
  { objects, controllerConfig }: ImageConfigFacts,
  lost: readonly Problem[],
): ImageSettings | undefined {
  if (!objects) return undefined
  return readImageSettings(objects, [...lost, ...containerdProblems(objects, controllerConfig)])
}
