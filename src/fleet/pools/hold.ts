import { mergePolicies } from '../../api/disruption-policy/merge.ts'
import { describeOtherMaker, otherMakerOf } from '../../api/maker.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import type { Release } from '../../api/validation/extensions.ts'
import { planSummary } from '../../planner/plan-summary.ts'
import { plan } from '../../planner/plan.ts'
import { unknownNode } from '../../planner/unknown-node.ts'
import type { UpdatePlan } from '../../planner/model/update-plan.ts'

/** Why the nodes of a pool keep the config that another controller rendered. */
export interface PoolHold {
  /** The rendered MachineConfig that the nodes run. */
  readonly config: string
  /** The controller that rendered it, as text. */
  readonly maker: string
  /** The effect of an update to Machinist's config; undefined while that config is not known. */
  readonly plan?: string
}

/**
 * A node that another controller configured gets no config with different content. Encoding and names do not count, as in
 * the planner. The first config that differs is the reason. `desired` is undefined while it is not known.
 */
export function holdOf(
  inUse: readonly Readonly<MachineConfig>[],
  desired: Readonly<MachineConfig> | undefined,
  release: Release = 'main',
): PoolHold | undefined {
  for (const current of inUse) {
    if (otherMakerOf(current) === undefined) continue
    if (current.metadata.name === desired?.metadata.name) continue
    const hold = { config: current.metadata.name, maker: describeOtherMaker(current) }
    if (!desired) return hold
    const update = planFor(current, desired, release)
    if (update.changes.length === 0 && update.reconcilable) continue
    return { ...hold, plan: planSummary(update) }
  }
  return undefined
}

/** For conditions and events: the config and its controller, the plan, and what the user can do. */
export function holdMessage(pool: string, { config, maker, plan: update }: PoolHold): string {
  const would = update === undefined ? 'The plan is not known yet' : `The plan would be: ${update}`
  return `Pool ${pool} is held: its nodes run MachineConfig ${config}, rendered by ${maker}, and Machinist changes no node that another controller configured. ${would}. ${advice}`
}

const advice =
  'To leave the nodes to that controller, stop Machinist; see docs/install.md, "Clusters that MCO runs"'

/** Plans by spec: informers and the renderer return the same object until it changes. */
const plans = new WeakMap<object, WeakMap<object, UpdatePlan>>()

function planFor(
  current: Readonly<MachineConfig>,
  desired: Readonly<MachineConfig>,
  release: Release,
): UpdatePlan {
  const [from, to] = [current.spec ?? current, desired.spec ?? desired]
  const byDesired = plans.get(from) ?? new WeakMap<object, UpdatePlan>()
  plans.set(from, byDesired)
  const rules = release === 'main' ? { policies: mergePolicies() } : release
  const found = byDesired.get(to) ?? plan({ current, desired, rules, facts: unknownNode })
  byDesired.set(to, found)
  return found
}
