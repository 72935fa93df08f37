import { mergePolicies } from '../../api/disruption-policy/merge.ts'
import { otherMakerInWords, otherMakerOf } from '../../api/maker.ts'
import type { MachineConfig } from '../../api/resources.ts'
import type { Release } from '../../api/validation/extensions.ts'
import { planSummary } from '../../planner/plan-summary.ts'
import { plan } from '../../planner/plan.ts'
import { someNode } from '../../planner/some-node.ts'
import type { UpdatePlan } from '../../planner/update-plan.ts'

/** Why the nodes of a pool keep what another controller rendered. */
export interface Hold {
  /** The rendered MachineConfig that the nodes are in. */
  readonly config: string
  /** The controller that rendered it, in words. */
  readonly maker: string
  /** What an update to our configuration would do; undefined while that is not known. */
  readonly plan?: string
}

/**
 * A node that another controller configured is given nothing that differs in content: neither encoding nor names count, as in
 * the planner. The first config that differs is the explanation. `desired` is undefined while it is not known.
 */
export function holdOf(
  inUse: readonly Readonly<MachineConfig>[],
  desired: Readonly<MachineConfig> | undefined,
  release: Release = 'main',
): Hold | undefined {
  for (const current of inUse) {
    if (otherMakerOf(current) === undefined) continue
    if (current.metadata.name === desired?.metadata.name) continue
    const hold = { config: current.metadata.name, maker: otherMakerInWords(current) }
    if (!desired) return hold
    const update = planned(current, desired, release)
    if (update.changes.length === 0 && update.reconcilable) continue
    return { ...hold, plan: planSummary(update) }
  }
  return undefined
}

/** For conditions and events: who holds what, what the plan would be, what to do. */
export function holdMessage(pool: string, { config, maker, plan: update }: Hold): string {
  const would = update === undefined ? 'The plan is not known yet' : `The plan would be: ${update}`
  return `Pool ${pool} is held: its nodes run MachineConfig ${config}, rendered by ${maker}, and Machinist changes no node that another controller configured. ${would}. ${todo}`
}

const todo =
  'To leave the nodes to that controller, stop Machinist; see docs/install.md, "Clusters that MCO runs"'

/** By spec: informers and the renderer hand out the same object until it changes. */
const known = new WeakMap<object, WeakMap<object, UpdatePlan>>()

function planned(
  current: Readonly<MachineConfig>,
  desired: Readonly<MachineConfig>,
  release: Release,
): UpdatePlan {
  const [from, to] = [current.spec ?? current, desired.spec ?? desired]
  const of = known.get(from) ?? new WeakMap<object, UpdatePlan>()
  known.set(from, of)
  const rules = release === 'main' ? { policies: mergePolicies() } : release
  const found = of.get(to) ?? plan({ current, desired, rules, facts: someNode })
  of.set(to, found)
  return found
}
