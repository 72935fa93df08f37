import type { ConversionReason } from '../report/cannot-convert.ts'
import type { Config, File, Filesystem, Partition } from '../spec/config.ts'
import type { Path } from '../report/report.ts'

/** The parts of a config of spec 3.0 that spec 2.2 cannot express. */
export function lostInSpec2({ storage }: Config): ConversionReason[] {
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

function fileReasons({ contents, append = [] }: File, path: Path): ConversionReason[] {
  if (contents?.source !== undefined || append.length > 0) return []
  return [{ path, why: 'has no contents, which spec 2 requires; use "data:," for an empty file' }]
}

function filesystemReasons({ format }: Filesystem, path: Path): ConversionReason[] {
  return format ? [] : [{ path: [...path, 'format'], why: 'is required in spec 2' }]
}

/** Spec 2 uses sectors and spec 3 MiB; the size of a sector is not known here. */
function partitionReasons(partition: Partition, path: Path): ConversionReason[] {
  const reasons: ConversionReason[] = []
  const addReason = (field: keyof Partition, why: string): void =>
    void reasons.push({ path: [...path, field], why })
  if (partition.sizeMiB) addReason('sizeMiB', 'is in sectors in spec 2 and cannot be converted')
  if (partition.startMiB) addReason('startMiB', 'is in sectors in spec 2 and cannot be converted')
  if (partition.shouldExist === false) addReason('shouldExist', 'does not exist in spec 2')
  if (partition.wipePartitionEntry) addReason('wipePartitionEntry', 'does not exist in spec 2')
  return reasons
}
