import { labels } from '../../api/labels.ts'
import { pools } from '../../api/names.ts'
import type { MachineConfig } from '../../api/resources.ts'
import type { Release } from '../../api/validation/extensions.ts'

/**
 * In which order the MachineConfigs of a pool are laid over each other; the last one wins. Those of the worker role come
 * first, so that whatever a custom pool says beats what it inherits. Up to 4.12 only the names counted.
 */
export function inMergeOrder<T extends MachineConfig>(
  machineConfigs: readonly T[],
  release: Release = 'main',
): T[] {
  const byName = machineConfigs.toSorted((a, b) => byText(a.metadata.name, b.metadata.name))
  if (release === '4.12') return byName
  return [...byName.filter(isOfWorkers), ...byName.filter((one) => !isOfWorkers(one))]
}

const isOfWorkers = ({ metadata }: MachineConfig): boolean =>
  metadata.labels?.[labels.role] === pools.worker

/** Code units: the same order on every machine. */
function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
