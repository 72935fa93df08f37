import type { Reason } from '../convert/cannot-convert.ts'
import type { Config, File, Filesystem, Partition } from '../config.ts'
import type { Path } from '../report.ts'

/** What even the oldest spec 3 can say and spec 2.2 cannot. */
export function lostInSpec2({ storage }: Config): Reason[] {
  const path = ['storage']
  return [
    ...(storage?.files ?? []).flatMap((file, i) => fileReasons(file, [...path, 'files', i])),
    ...(storage?.filesystems ?? []).flatMap((filesystem, i) =>
      filesystemReasons(filesystem, [...path, 'filesystems', i]),
    ),
    ...(storage?.disks ?? []).flatMap(({ partitions = [] }, i) =>
      partitions.flatMap((partition, j) =>
        partitionReasons(partition, [...path, 'disks', i, 'partitions', j]),
      ),
    ),
  ]
}

function fileReasons({ contents, append = [] }: File, path: Path): Reason[] {
  if (contents?.source !== undefined || append.length > 0) return []
  return [{ path, why: 'has no contents, which spec 2 requires; say "data:," for an empty file' }]
}

function filesystemReasons({ format }: Filesystem, path: Path): Reason[] {
  return format ? [] : [{ path: [...path, 'format'], why: 'is required in spec 2' }]
}

/** Spec 2 counts in sectors, spec 3 in MiB, and the size of a sector is not known here. */
function partitionReasons(partition: Partition, path: Path): Reason[] {
  const reasons: Reason[] = []
  const refuse = (field: keyof Partition, why: string): void =>
    void reasons.push({ path: [...path, field], why })
  if (partition.sizeMiB) refuse('sizeMiB', 'is in sectors in spec 2 and cannot be converted')
  if (partition.startMiB) refuse('startMiB', 'is in sectors in spec 2 and cannot be converted')
  if (partition.shouldExist === false) refuse('shouldExist', 'is unknown to spec 2')
  if (partition.wipePartitionEntry) refuse('wipePartitionEntry', 'is unknown to spec 2')
  return reasons
}
