import { labels } from '../../api/labels.ts'
import type { MachineConfig } from '../../api/resources.ts'
import { isGenerated } from '../generated/machine-config.ts'
import type { StoreOptions } from '../generated/store.ts'
import { removeAll } from '../generated/store.ts'

/** Removes what these templates no longer make. Roles that are not among these keep what they have. */
export async function removeStale(
  made: readonly Readonly<MachineConfig>[],
  wanted: ReadonlySet<string>,
  roles: ReadonlySet<string>,
  options: StoreOptions,
): Promise<void> {
  const isStale = (one: Readonly<MachineConfig>): boolean =>
    !wanted.has(one.metadata.name) &&
    roles.has(one.metadata.labels?.[labels.role] ?? '') &&
    isGenerated(one)
  await removeAll(made.filter(isStale), options)
}
