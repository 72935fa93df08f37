import type { Config } from '@machinist/ignition/config'
import { sameConfig } from '@machinist/ignition/equality'
import type { StorageOverride } from './plan-input.ts'
import { sameSection } from './reconcilable.ts'

/** What differs, is let through, and does nothing on a node that has been set up. */
export function notesOf(
  old: Config,
  now: Config,
  overrides: readonly StorageOverride[] = [],
): string[] {
  const notes: string[] = []
  const overridden = { Disks: 'disks', FileSystems: 'filesystems', Raid: 'raid' } as const
  for (const override of new Set(overrides)) {
    const section = overridden[override]
    if (section && !sameSection(old, now, section)) notes.push(without(`storage.${section}`))
  }
  if (!sameSection(old, now, 'luks')) notes.push(without('storage.luks'))
  const linksGone = !now.storage?.links?.length && !sameSection(old, now, 'links')
  if (linksGone) notes.push('storage.links is gone; the links stay where they are.')
  // All configs are read as the same version.
  if (!sameConfig({ ignition: old.ignition }, { ignition: now.ignition }))
    notes.push(without('ignition'))
  return notes
}

const without = (section: string): string =>
  `${section} differs; only new nodes take it over, this one stays as it is.`
