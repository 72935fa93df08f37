import type { ConversionReason } from '../report/cannot-convert.ts'
import type { Path } from '../report/report.ts'
import type { Disk, File, Filesystem, Node, Spec2Config } from './config.ts'

/** The parts of a config of spec 2 that spec 3 cannot express, or that are invalid in spec 2. */
export function lostInSpec3({ networkd, passwd, storage }: Spec2Config): ConversionReason[] {
  return [
    ...((networkd?.units ?? []).length > 0
      ? [{ path: ['networkd'], why: 'does not exist in spec 3; use files instead' }]
      : []),
    ...each(passwd?.users, ['passwd', 'users'], ({ create }) =>
      create ? [[['create'], 'does not exist in spec 3; set the fields on the user itself']] : [],
    ),
    ...each(storage?.filesystems, ['storage', 'filesystems'], filesystemProblems),
    ...each(storage?.disks, ['storage', 'disks'], diskProblems),
    ...each(storage?.files, ['storage', 'files'], fileProblems),
    ...each(storage?.directories, ['storage', 'directories'], nodeProblems),
    ...each(storage?.links, ['storage', 'links'], nodeProblems),
  ]
}

/** A path in the item, and the problem. */
type Problem = readonly [at: Path, why: string]

function each<T>(
  items: readonly T[] | undefined,
  path: Path,
  problems: (item: T) => readonly Problem[],
): ConversionReason[] {
  return (items ?? []).flatMap((item, i) =>
    problems(item).map(([at, why]) => ({ path: [...path, i, ...at], why })),
  )
}

/** Spec 2 does not define where a named file system is mounted, so only `root` has a known path. */
function filesystemProblems({ name, mount }: Filesystem): Problem[] {
  if (name !== 'root') {
    return [[['name'], 'has no known mount point; only "root" can be converted to spec 3']]
  }
  return mount ? [[['mount'], 'would be lost: spec 3 cannot change the root file system']] : []
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

/** Spec 2 uses sectors and spec 3 MiB; the size of a sector is not known here. */
function diskProblems({ partitions = [] }: Disk): Problem[] {
  return partitions.flatMap(({ size, start }, i): Problem[] =>
    size || start
      ? [[['partitions', i], 'has a start or size in sectors, which cannot be converted']]
      : [],
  )
}
