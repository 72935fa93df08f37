import type { Raid } from '../spec/config.ts'
import type { Place } from '../report/report.ts'
import { checkPath } from './paths.ts'

const withoutSpares = ['linear', 'raid0', '0', 'stripe']
const withSpares = 'raid1 1 mirror raid4 4 raid5 5 raid6 6 raid10 10'.split(' ')

export function checkRaid({ level = '', spares = 0, devices = [] }: Raid, place: Place): void {
  if (withoutSpares.includes(level)) {
    if (spares !== 0) place.at('spares').error(`an array of level ${level} cannot have spares`)
  } else if (!withSpares.includes(level)) {
    const known = [...withoutSpares, ...withSpares].join(', ')
    place.at('level').error(`must be one of ${known}`)
  }
  if (devices.length === 0) place.at('devices').error('are required')
  for (const [i, device] of devices.entries()) checkPath(device, place.at('devices', i))
}
