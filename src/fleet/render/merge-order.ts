import { labels } from '../../api/labels.ts'
import { pools } from '../../api/names.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import type { Release } from '../../api/validation/extensions.ts'

/**
 * The order in which the MachineConfigs of a pool are merged; the last one wins. Those of the worker role come first, so that
 * a custom pool overrides what it inherits. Releases up to 4.12 order by name only.
 */
export function inMergeOrder<T extends MachineConfig>(
  machineConfigs: readonly T[],
  release: Release = 'main',
): T[] {
  const byName = machineConfigs.toSorted((a, b) => compareTexts(a.metadata.name, b.metadata.name))
  if (release === '4.12') return byName
  return [...byName.filter(hasWorkerRole), ...byName.filter((one) => !hasWorkerRole(one))]
}

const hasWorkerRole = ({ metadata }: MachineConfig): boolean =>
  metadata.labels?.[labels.role] === pools.worker

/** By code units, independent of the locale. */
function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
