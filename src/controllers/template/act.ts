import { labels } from '../../api/labels.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { isGenerated } from '../generated/machine-config.ts'
import type { StoreOptions } from '../generated/store.ts'
import { deleteConfigs } from '../generated/store.ts'

/** Deletes MachineConfigs that the templates of these roles no longer include. Other roles keep theirs. */
export async function deleteStaleConfigs(
  existing: readonly Readonly<MachineConfig>[],
  desired: ReadonlySet<string>,
  roles: ReadonlySet<string>,
  options: StoreOptions,
): Promise<void> {
  const isStale = (one: Readonly<MachineConfig>): boolean =>
    !desired.has(one.metadata.name) &&
    roles.has(one.metadata.labels?.[labels.role] ?? '') &&
    isGenerated(one)
  await deleteConfigs(existing.filter(isStale), options)
}
