import type { Storage } from '../spec/config.ts'
import type { Place } from '../report/report.ts'
import type { Spec } from '../spec/version.ts'
import { checkDisk } from './disks.ts'
import { checkFilesystem, warnOfWipedFilesystems } from './filesystems.ts'
import { checkLinks, rejectPathsBelowLinks } from './links.ts'
import { checkLuks } from './luks.ts'
import { checkDirectory, checkFile } from './nodes.ts'
import { checkRaid } from './raid.ts'

export function checkStorage(storage: Storage, spec: Spec, place: Place): void {
  const each = <T>(list: keyof Storage, items: readonly T[] = [], check: Check<T>): void => {
    for (const [i, item] of items.entries()) check(item, place.at(list, i))
  }
  each('directories', storage.directories, (one, at) => checkDirectory(one, spec, at))
  each('files', storage.files, (file, at) => checkFile(file, spec, at))
  checkLinks(storage, spec, place)
  rejectPathsBelowLinks(storage, place)
  each('disks', storage.disks, checkDisk)
  each('raid', storage.raid, checkRaid)
  each('luks', storage.luks, (luks, at) => checkLuks(luks, spec, at))
  each('filesystems', storage.filesystems, (one, at) => checkFilesystem(one, spec, at))
  warnOfWipedFilesystems(storage, place.at('filesystems'))
}

type Check<T> = (item: T, place: Place) => void
