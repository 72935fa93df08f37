import { annotations } from '../../api/annotations.ts'
import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import { clusterSettingsReasons as reasons } from '../../api/reasons.ts'
import type { MachineConfig, MachineConfigPool } from '../../api/resources.ts'
import { generatedMachineConfig, isGenerated } from '../generated/machine-config.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import type { StoreOptions, StoreProblem } from '../generated/store.ts'
import { removeAll, store } from '../generated/store.ts'
import type { Cache } from '../render/caches.ts'
import type { Beginning } from './gather.ts'
import type { Problem } from './problem.ts'

export const machineConfigName = (pool: string): string => `99-${pool}-generated-registries`

export interface ActOptions extends StoreOptions {
  readonly machineConfigs: Cache<MachineConfig>
  readonly maker: Maker
}

/**
 * Stores what a pool gets, and replaces what old releases named otherwise. Also what stays as it is becomes this build's:
 * nothing is rendered from what an older one has left.
 */
export async function keep(
  { metadata }: Readonly<MachineConfigPool>,
  spec: MachineConfigSpec,
  { owner }: Beginning,
  options: ActOptions,
): Promise<Problem | undefined> {
  const { machineConfigs, maker } = options
  const name = machineConfigName(metadata.name)
  const wanted = generatedMachineConfig({ name, role: metadata.name, spec, owner }, maker)
  const problem = await store(wanted, machineConfigs.get(name), options)
  if (problem) {
    const { why, message } = problem
    return { reason: reasons[why], effect: 'held', message }
  }
  const old = machineConfigs.get(`99-${metadata.name}-${metadata.uid}-registries`)
  if (old && isGenerated(old)) await removeAll([old], options)
  return undefined
}

/**
 * What is made no longer, for want of anybody who says something or because its pool is none of the built-in ones, stays as it is; it becomes
 * this build's as well, or whoever selects it would wait for it for ever. What could not be written is answered.
 */
export async function adopt(
  made: ReadonlySet<string>,
  options: ActOptions,
): Promise<StoreProblem[]> {
  const problems: StoreProblem[] = []
  const { build } = options.maker
  for (const one of options.machineConfigs.list()) {
    const { name, annotations: marks } = one.metadata
    const isLeft = namePattern.test(name) && isGenerated(one) && !made.has(name)
    if (!isLeft || marks?.[annotations.generatedByController] === build) continue
    const metadata = {
      ...one.metadata,
      annotations: { ...marks, [annotations.generatedByController]: build },
    }
    const problem = await store({ ...one, metadata }, one, options)
    if (problem) problems.push(problem)
  }
  return problems
}

const namePattern = /^99-.+-generated-registries$/
