import { utf8Length } from '@machinist/core/bytes'
import type { Disk, Partition } from '../config.ts'
import type { Place } from '../report.ts'
import { overlappingPartition } from './partition-overlap.ts'
import { checkPath } from './paths.ts'

export function checkDisk(disk: Disk, place: Place): void {
  const partitions = disk.partitions ?? []
  for (const [i, partition] of partitions.entries()) {
    checkPartition(partition, place.at('partitions', i))
  }
  checkPath(disk.device, place.at('device'))
  if (disk.device === '') return
  refuseSharedLabels(partitions, place.at('partitions'))
  refuseNumberlessBesideDeleted(partitions, place.at('partitions'))
  const overlap = overlappingPartition(partitions)
  if (overlap !== undefined) place.at('partitions', overlap).error('overlaps another partition')
}

function checkPartition(partition: Partition, place: Place): void {
  const { shouldExist, number = 0, label, guid, typeGuid, startMiB, sizeMiB } = partition
  const described =
    label !== undefined || guid || typeGuid || startMiB !== undefined || sizeMiB !== undefined
  if (shouldExist === false && described) {
    place.error('is to be deleted (shouldExist: false), so nothing but its number can be given')
  }
  if (number === 0 && label === undefined) place.error('needs a number above 0, or a label')
  if (label !== undefined) checkLabel(label, place.at('label'))
  checkGuid(guid, place.at('guid'))
  checkGuid(typeGuid, place.at('typeGuid'))
}

function checkLabel(label: string, place: Place): void {
  if (utf8Length(label) > 36) place.error('cannot be longer than 36 bytes')
  else if (label.includes(':')) place.error('cannot contain ":", since it would be cut off there')
}

function checkGuid(guid: string | undefined, place: Place): void {
  if (!guid || /^[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$/.test(guid)) return
  place.error('must look like 01234567-89AB-CDEF-EDCB-A98765432101')
}

function refuseSharedLabels(partitions: readonly Partition[], place: Place): void {
  const seen = new Set<string>()
  for (const [i, { label }] of partitions.entries()) {
    if (label === undefined) continue
    if (seen.has(label)) place.at(i, 'label').error('is already the label of another partition')
    seen.add(label)
  }
}

/** Which number a partition without one gets would depend on what is deleted first. */
function refuseNumberlessBesideDeleted(partitions: readonly Partition[], place: Place): void {
  const numberless = partitions.some(({ number = 0 }) => number === 0)
  if (numberless && partitions.some(({ shouldExist }) => shouldExist === false)) {
    place.error('one is deleted (shouldExist: false), so every one of them needs a number')
  }
}
