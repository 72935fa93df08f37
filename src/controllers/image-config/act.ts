import { annotations } from '../../api/annotations.ts'
import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import { clusterSettingsReasons as reasons } from '../../api/reasons.ts'
import type { MachineConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import { generatedMachineConfig, isGenerated } from '../generated/machine-config.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import type { StoreOptions, StoreProblem } from '../generated/store.ts'
import { deleteConfigs, storeConfig } from '../generated/store.ts'
import type { SharedCache } from '../render/caches.ts'
import type { OwningImage } from './gather.ts'
import type { Problem } from './model/problem.ts'

export const machineConfigName = (pool: string): string => `99-${pool}-generated-registries`

export interface ImageConfigActOptions extends StoreOptions {
  readonly machineConfigs: SharedCache<MachineConfig>
  readonly maker: Maker
}

/**
 * Stores the MachineConfig of a pool, and removes the one that old releases stored under another name. An unchanged spec is
 * stamped with this build too, because the render controller waits for MachineConfigs of an older build.
 */
export async function storeForPool(
  { metadata }: Readonly<MachineConfigPool>,
  spec: MachineConfigSpec,
  { owner }: OwningImage,
  options: ImageConfigActOptions,
): Promise<Problem | undefined> {
  const { machineConfigs, maker } = options
  const name = machineConfigName(metadata.name)
  const desired = generatedMachineConfig({ name, role: metadata.name, spec, owner }, maker)
  const problem = await storeConfig(desired, machineConfigs.get(name), options)
  if (problem) {
    const { why, message } = problem
    return { reason: reasons[why], effect: 'held', message }
  }
  const old = machineConfigs.get(`99-${metadata.name}-${metadata.uid}-registries`)
  if (old && isGenerated(old)) await deleteConfigs([old], options)
  return undefined
}

/**
 * Stamps MachineConfigs that this controller no longer generates (there is no Image, or the pool is not built-in) with this
 * build, and keeps their spec: pools that select them would wait for this build forever. Returns the failed writes.
 */
export async function adoptLeftovers(
  generated: ReadonlySet<string>,
  options: ImageConfigActOptions,
): Promise<StoreProblem[]> {
  const problems: StoreProblem[] = []
  const { build } = options.maker
  for (const machineConfig of options.machineConfigs.list()) {
    const { name, annotations: existing } = machineConfig.metadata
    const isLeftover = namePattern.test(name) && isGenerated(machineConfig) && !generated.has(name)
    if (!isLeftover || existing?.[annotations.generatedByController] === build) continue
    const metadata = {
      ...machineConfig.metadata,
      annotations: { ...existing, [annotations.generatedByController]: build },
    }
    const problem = await storeConfig({ ...machineConfig, metadata }, machineConfig, options)
    if (problem) problems.push(problem)
  }
  return problems
}

const namePattern = /^99-.+-generated-registries$/
