import type { ConversionReason } from '../report/cannot-convert.ts'
import type { File, Spec2Config, Unit, User } from './config.ts'

/**
 * Removes duplicates, which spec 3 does not allow: keeps the last file of a path, the last unit of a name with the drop-ins that only
 * earlier ones have, and one user with all SSH keys. Files and units are returned in reverse order, as in MCO.
 */
export function deduplicate(config: Spec2Config): Spec2Config {
  const { passwd, storage, systemd } = config
  return {
    ...config,
    ...(passwd?.users && { passwd: { ...passwd, users: oneUser(passwd.users) } }),
    ...(storage?.files && { storage: { ...storage, files: lastFiles(storage.files) } }),
    ...(systemd?.units && { systemd: { ...systemd, units: lastUnits(systemd.units) } }),
  }
}

/** Users other than `core`, which is the only supported one. */
export function foreignUsers({ passwd }: Spec2Config): ConversionReason[] {
  return (passwd?.users ?? []).flatMap(({ name }, i) =>
    name === 'core'
      ? []
      : [
          {
            path: ['passwd', 'users', i, 'name'],
            why: 'is not "core", the only supported user',
          },
        ],
  )
}

/** An entry that appends belongs to the entries of the path before it: they stay together, in order. */
function lastFiles(files: readonly File[]): File[] {
  const byPath = new Map<string, File[]>()
  for (const file of files) {
    const path = file.path ?? ''
    const entries = file.append ? (byPath.get(path) ?? []) : []
    entries.push(file)
    // Deleted first, so that the path moves to the position of its last entry.
    byPath.delete(path)
    byPath.set(path, entries)
  }
  return [...byPath.values()].reverse().flat()
}

function lastUnits(units: readonly Unit[]): Unit[] {
  const byName = Map.groupBy(units.toReversed(), ({ name }) => name ?? '')
  return [...byName.values()].map(([last, ...earlier]) => withMissingDropins(last!, earlier))
}

function withMissingDropins(unit: Unit, earlier: readonly Unit[]): Unit {
  const dropins = [...(unit.dropins ?? [])]
  const known = new Set(dropins.map(({ name }) => name))
  for (const dropin of earlier.flatMap(({ dropins = [] }) => dropins)) {
    if (known.has(dropin.name)) continue
    known.add(dropin.name)
    dropins.push(dropin)
  }
  return dropins.length === (unit.dropins?.length ?? 0) ? unit : { ...unit, dropins }
}

function oneUser(users: readonly User[]): User[] {
  const last = users.at(-1)
  if (!last) return []
  const keys = users.toReversed().flatMap(({ sshAuthorizedKeys = [] }) => sshAuthorizedKeys)
  return [{ ...last, ...(keys.length > 0 && { sshAuthorizedKeys: [...new Set(keys)] }) }]
}
