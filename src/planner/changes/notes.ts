import type { Config } from '@machinist/ignition/spec/config'
import { sameConfig } from '@machinist/ignition/equality'
import type { StorageOverride } from '../model/plan-input.ts'
import { sameSection } from '../reconcilable/reconcilable.ts'

/** Differences that are accepted and have no effect on an existing node. */
export function notesOf(
  old: Config,
  now: Config,
  overrides: readonly StorageOverride[] = [],
): string[] {
  const notes: string[] = []
  const overridden = { Disks: 'disks', FileSystems: 'filesystems', Raid: 'raid' } as const
  for (const override of new Set(overrides)) {
    const section = overridden[override]
    if (section && !sameSection(old, now, section)) notes.push(newNodesOnly(`storage.${section}`))
  }
  if (!sameSection(old, now, 'luks')) notes.push(newNodesOnly('storage.luks'))
  const areLinksRemoved = !now.storage?.links?.length && !sameSection(old, now, 'links')
  if (areLinksRemoved)
    notes.push('storage.links is no longer in the config; existing links are kept.')
  // Both configs have the internal version.
  if (!sameConfig({ ignition: old.ignition }, { ignition: now.ignition }))
    notes.push(newNodesOnly('ignition'))
  return notes
}

const newNodesOnly = (section: string): string =>
  `${section} differs; the change applies to new nodes only.`
