import type { StepContext } from '@machinist/kube/controller/step-controller'
import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { generatedMachineConfig, isGenerated } from '../generated/machine-config.ts'
import type { StoreOptions, StoreProblem } from '../generated/store.ts'
import { deleteConfigs, storeConfig, storeConfigs } from '../generated/store.ts'
import type { ImageConfigPlan } from './decide.ts'
import type { ImageConfigFacts, OwningImage } from './facts.ts'
import { machineConfigName, oldName } from './names.ts'

export interface ImageConfigResult {
  /** Why MachineConfigs that are no longer generated could not be stamped. */
  readonly leftovers: readonly StoreProblem[]
  /** By pool: why its MachineConfig could not be stored. */
  readonly problems: ReadonlyMap<Readonly<MachineConfigPool>, StoreProblem>
  /** By pool: failures that may resolve by themselves. */
  readonly failures: ReadonlyMap<Readonly<MachineConfigPool>, unknown>
}

/** Stamps MachineConfigs that are no longer generated, then stores those of pools. A pool that fails does not block the others. */
export async function act(
  plan: ImageConfigPlan,
  facts: ImageConfigFacts,
  step: Pick<StepContext, 'client' | 'log' | 'signal'>,
): Promise<ImageConfigResult> {
  const leftovers = await storeConfigs(plan.leftovers, facts.stored, step)
  for (const { message } of leftovers) {
    step.log.info('cannot adopt a MachineConfig', { why: message })
  }
  const problems = new Map<Readonly<MachineConfigPool>, StoreProblem>()
  const failures = new Map<Readonly<MachineConfigPool>, unknown>()
  for (const [pool, { spec }] of plan.pools) {
    if (!spec || !facts.image) continue
    try {
      const problem = await storeForPool(pool, spec, facts.image, facts, step)
      if (problem) problems.set(pool, problem)
    } catch (error) {
      failures.set(pool, error)
    }
  }
  return { leftovers, problems, failures }
}

/**
 * Stores the MachineConfig of a pool, and removes the one that old releases stored under another name. An unchanged spec is
 * stamped with this build too, because the render controller waits for MachineConfigs of an older build.
 */
async function storeForPool(
  pool: Readonly<MachineConfigPool>,
  spec: MachineConfigSpec,
  { owner }: OwningImage,
  { stored, maker }: ImageConfigFacts,
  step: StoreOptions,
): Promise<StoreProblem | undefined> {
  const role = pool.metadata.name
  const name = machineConfigName(role)
  const desired = generatedMachineConfig({ name, role, spec, owner }, maker)
  const problem = await storeConfig(desired, stored.get(name), step)
  if (problem) return problem
  const old = stored.get(oldName(pool))
  if (old && isGenerated(old)) await deleteConfigs([old], step)
  return undefined
}
