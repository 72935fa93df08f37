import type { Clock } from '@machinist/core/clock'
import type { UnselectedConfig, UnselectedConfigsFacts } from './facts.ts'
import type { UnselectedConfigsCaches } from './inputs.ts'

/** Undefined if the MachineConfig does not exist. */
export function gather(
  name: string,
  caches: UnselectedConfigsCaches,
  known: ReadonlyMap<string, UnselectedConfig>,
  clock: Clock,
): UnselectedConfigsFacts | undefined {
  const machineConfig = caches.machineConfigs.get(name)
  if (!machineConfig) return undefined
  const pools = caches.pools.list()
  return { machineConfig, pools, before: known.get(name), elapsedMs: clock.elapsed() }
}
