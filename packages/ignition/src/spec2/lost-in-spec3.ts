import type { Reason } from '../convert/cannot-convert.ts'
import type { Path } from '../report.ts'
import type { Disk, File, Filesystem, Node, Spec2Config } from './config.ts'

/** Everything in a config of spec 2 that spec 3 has no words for, or that is wrong in spec 2 already. */
export function lostInSpec3({ networkd, passwd, storage }: Spec2Config): Reason[] {
  return [
    ...((networkd?.units ?? []).length > 0
      ? [{ path: ['networkd'], why: 'is gone in spec 3; use files instead' }]
      : []),
    ...each(passwd?.users, ['passwd', 'users'], ({ create }) =>
      create ? [[['create'], 'is gone in spec 3; set the fields on the user itself']] : [],
    ),
    ...each(storage?.filesystems, ['storage', 'filesystems'], filesystemProblems),
    ...each(storage?.disks, ['storage', 'disks'], diskProblems),
    ...each(storage?.files, ['storage', 'files'], fileProblems),
    ...each(storage?.directories, ['storage', 'directories'], nodeProblems),
    ...each(storage?.links, ['storage', 'links'], nodeProblems),
  ]
}

/** A place within the item and what is wrong there. */
type Problem = readonly [at: Path, why: string]

function each<T>(
  items: readonly T[] | undefined,
  path: Path,
  problems: (item: T) => readonly Problem[],
): Reason[] {
  return (items ?? []).flatMap((item, i) =>
    problems(item).map(([at, why]) => ({ path: [...path, i, ...at], why })),
  )
}

/** Where a named file system is mounted is not part of spec 2, so only `root` has a place. */
function filesystemProblems({ name, mount }: Filesystem): Problem[] {
  if (name !== 'root') {
    return [[['name'], 'has no known mount point; only "root" can be taken over to spec 3']]
  }
  return mount ? [[['mount'], 'would be lost: spec 3 takes the root file system as given']] : []
}

function nodeProblems({ filesystem, path = '' }: Node): Problem[] {
  const problems: Problem[] = []
  if (!filesystem) problems.push([['filesystem'], 'is required'])
  else if (filesystem !== 'root') {
    problems.push([['filesystem'], 'is not "root", the only one with a known mount point'])
  }
  if (!path.startsWith('/')) problems.push([['path'], 'must begin with "/"'])
  return problems
}

function fileProblems(file: File): Problem[] {
  const both: Problem[] =
    file.append && file.overwrite ? [[['append'], 'cannot be combined with overwrite']] : []
  return [...nodeProblems(file), ...both]
}

/** Spec 2 counts in sectors, spec 3 in MiB, and the size of a sector is not known here. */
function diskProblems({ partitions = [] }: Disk): Problem[] {
  return partitions.flatMap(({ size, start }, i): Problem[] =>
    size || start
      ? [[['partitions', i], 'has a start or size in sectors, which cannot be converted']]
      : [],
  )
}
