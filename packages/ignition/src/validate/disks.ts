import { utf8Length } from '@machinist/core/encoding/bytes'
import type { Disk, Partition } from '../spec/config.ts'
import type { Place } from '../report/report.ts'
import { overlappingPartition } from './partition-overlap.ts'
import { checkPath } from './paths.ts'

export function checkDisk(disk: Disk, place: Place): void {
  const partitions = disk.partitions ?? []
  for (const [i, partition] of partitions.entries()) {
    checkPartition(partition, place.at('partitions', i))
  }
  checkPath(disk.device, place.at('device'))
  if (disk.device === '') return
  rejectSharedLabels(partitions, place.at('partitions'))
  rejectUnnumberedBesideDeleted(partitions, place.at('partitions'))
  const overlap = overlappingPartition(partitions)
  if (overlap !== undefined) place.at('partitions', overlap).error('overlaps another partition')
}

function checkPartition(partition: Partition, place: Place): void {
  const { shouldExist, number = 0, label, guid, typeGuid, startMiB, sizeMiB } = partition
  const described =
    label !== undefined || guid || typeGuid || startMiB !== undefined || sizeMiB !== undefined
  if (shouldExist === false && described) {
    place.error('is to be deleted (shouldExist: false), so only its number may be set')
  }
  if (number === 0 && label === undefined) place.error('requires a number above 0 or a label')
  if (label !== undefined) checkLabel(label, place.at('label'))
  checkGuid(guid, place.at('guid'))
  checkGuid(typeGuid, place.at('typeGuid'))
}

function checkLabel(label: string, place: Place): void {
  if (utf8Length(label) > 36) place.error('cannot be longer than 36 bytes')
  else if (label.includes(':'))
    place.error('cannot contain ":", because the label would be truncated there')
}

function checkGuid(guid: string | undefined, place: Place): void {
  if (!guid || /^[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$/.test(guid)) return
  place.error('must look like 01234567-89AB-CDEF-EDCB-A98765432101')
}

function rejectSharedLabels(partitions: readonly Partition[], place: Place): void {
  const seen = new Set<string>()
  for (const [i, { label }] of partitions.entries()) {
    if (label === undefined) continue
    if (seen.has(label)) place.at(i, 'label').error('is already the label of another partition')
    seen.add(label)
  }
}

/** The number of an unnumbered partition would depend on the order of deletions. */
function rejectUnnumberedBesideDeleted(partitions: readonly Partition[], place: Place): void {
  const hasUnnumbered = partitions.some(({ number = 0 }) => number === 0)
  if (hasUnnumbered && partitions.some(({ shouldExist }) => shouldExist === false)) {
    place.error('a partition is deleted (shouldExist: false), so every partition requires a number')
  }
}
