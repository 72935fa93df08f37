import type { MachineConfigPool } from '../../api/kinds/resources.ts'

/**
 * The rendered config for new machines of a pool: the desired one as soon as a node runs it, otherwise the one that all nodes ran
 * last. The first node of a new pool gets the desired config: no other node can prove it. Undefined if there is none yet.
 */
export function chooseConfig(pool: Readonly<MachineConfigPool>): string | undefined {
  const { spec, status } = pool
  const isNew = !status?.configuration?.name && !status?.machineCount
  const name = isProven(pool) || isNew ? spec.configuration?.name : status?.configuration?.name
  return name || undefined
}

/** Whether a node runs the desired config. Counts that describe an earlier generation are about another config. */
export function isProven({ metadata, status }: Readonly<MachineConfigPool>): boolean {
  const { generation = 0 } = metadata
  const { observedGeneration = generation, updatedMachineCount = 0 } = status ?? {}
  return updatedMachineCount > 0 && observedGeneration >= generation
}
