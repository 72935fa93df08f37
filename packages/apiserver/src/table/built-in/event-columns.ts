import type { Column } from '../../kinds/served-kind.ts'
import { ageOf } from '../human-duration.ts'
import { nameColumn } from '../name-column.ts'
import type { KubeJson } from './cells.ts'
import { at, column, numberAt, textAt, wideColumn } from './cells.ts'

/** Both Event groups; events.k8s.io has other names for some fields. */
export const eventColumns: readonly Column[] = [
  column('Last Seen', lastSeen),
  column('Type', (event) => textAt(event, ['type'])),
  column('Reason', (event) => textAt(event, ['reason'])),
  column('Object', (event) => {
    const kind = textAt(involved(event), ['kind']).toLowerCase()
    const name = textAt(involved(event), ['name'])
    return name === '' ? kind : `${kind}/${name}`
  }),
  wideColumn('Subobject', (event) => textAt(involved(event), ['fieldPath'])),
  wideColumn('Source', source),
  column('Message', (event) => textAt(event, ['message'], textAt(event, ['note'])).trim()),
  wideColumn('First Seen', firstSeen),
  wideColumn('Count', count),
  { ...nameColumn, priority: 1 },
]

const involved = (event: KubeJson): unknown => at(event, 'involvedObject') ?? at(event, 'regarding')

const first = (event: KubeJson): unknown =>
  at(event, 'firstTimestamp') ?? at(event, 'deprecatedFirstTimestamp') ?? at(event, 'eventTime')

function firstSeen(event: KubeJson, now: number): string {
  return ageOf(first(event), now)
}

function lastSeen(event: KubeJson, now: number): string {
  if (at(event, 'series') !== undefined) return ageOf(at(event, 'series', 'lastObservedTime'), now)
  const last = at(event, 'lastTimestamp') ?? at(event, 'deprecatedLastTimestamp')
  return ageOf(last ?? first(event), now)
}

function count(event: KubeJson): number {
  if (at(event, 'series') !== undefined) return numberAt(event, 'series', 'count')
  return numberAt(event, 'count') || numberAt(event, 'deprecatedCount') || 1
}

function source(event: KubeJson): string {
  const old = at(event, 'source') ?? at(event, 'deprecatedSource')
  const reporter = textAt(event, ['reportingComponent'], textAt(event, ['reportingController']))
  const component = textAt(old, ['component'], reporter)
  const host = textAt(old, ['host'], textAt(event, ['reportingInstance']))
  return host === '' ? component : `${component}, ${host}`
}
