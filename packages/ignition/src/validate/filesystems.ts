import { utf8Length } from '@machinist/core/encoding/bytes'
import type { Filesystem, Storage } from '../spec/config.ts'
import type { Place } from '../report/report.ts'
import type { Spec } from '../spec/version.ts'
import { specAtLeast } from '../spec/version.ts'
import { checkPath } from './paths.ts'

export function checkFilesystem(filesystem: Filesystem, spec: Spec, place: Place): void {
  if (filesystem.path) checkPath(filesystem.path, place.at('path'))
  checkPath(filesystem.device, place.at('device'))
  checkFormat(filesystem, spec, place)
  checkLabelLength(filesystem, place.at('label'))
}

/** Warns about a filesystem on a disk that the config also partitions or wipes, which is rarely intended. */
export function warnOfWipedFilesystems(storage: Storage, place: Place): void {
  const disks = new Map((storage.disks ?? []).map((disk) => [disk.device, disk]))
  for (const [i, { device, wipeFilesystem }] of (storage.filesystems ?? []).entries()) {
    const disk = disks.get(device)
    if (disk?.partitions && disk.partitions.length > 0) {
      place.at(i, 'device').warn('is a disk with partitions, which the filesystem overwrites')
    } else if (disk?.wipeTable === true && wipeFilesystem !== true) {
      place.at(i, 'device').warn('is a disk with wipeTable, so the filesystem is wiped')
    }
  }
}

const formats = ['ext4', 'btrfs', 'xfs', 'swap', 'vfat'] as const
/** Limits of the mkfs tools, in bytes. */
const maxLabelLength: Readonly<Record<(typeof formats)[number], number>> = {
  ext4: 16,
  btrfs: 256,
  xfs: 12,
  swap: 15,
  vfat: 11,
}

function checkFormat(filesystem: Filesystem, spec: Spec, place: Place): void {
  const { format, path, label, uuid, wipeFilesystem, mountOptions = [], options = [] } = filesystem
  if (!format) {
    const described = [path, label, uuid, wipeFilesystem, mountOptions.length, options.length]
    if (described.some(Boolean)) place.at('format').error('is required if other fields are set')
    return
  }
  const usable = specAtLeast(spec, '3.3') ? [...formats, 'none'] : [...formats]
  if (!usable.includes(format)) place.at('format').error(`must be one of ${usable.join(', ')}`)
}

function checkLabelLength({ format, label }: Filesystem, place: Place): void {
  const known = formats.find((name) => name === format)
  if (!known || !label || utf8Length(label) <= maxLabelLength[known]) return
  place.error(`cannot be longer than ${maxLabelLength[known]} bytes on ${known}`)
}
