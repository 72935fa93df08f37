import type { Column } from '../../kinds/served-kind.ts'
import { ageOf } from '../human-duration.ts'
import type { KubeJson } from './cells.ts'
import { ageColumn, at, column, listAt, textAt, wideColumn } from './cells.ts'
import { podStatus } from './pod-status.ts'

export const podColumns: readonly Column[] = [
  column('Ready', (pod) => {
    const { ready, containers } = podStatus(pod)
    return `${ready}/${containers}`
  }),
  column('Status', (pod) => podStatus(pod).reason),
  column('Restarts', restarts),
  ageColumn,
  wideColumn('IP', (pod) => textAt(listAt(pod, 'status', 'podIPs')[0], ['ip'], '<none>')),
  wideColumn('Node', (pod) => textAt(pod, ['spec', 'nodeName'], '<none>')),
  wideColumn('Nominated Node', (pod) => textAt(pod, ['status', 'nominatedNodeName'], '<none>')),
  wideColumn('Readiness Gates', readinessGates),
]

function restarts(pod: KubeJson, now: number): string {
  const { restarts, lastRestart } = podStatus(pod)
  if (restarts === 0 || lastRestart === undefined) return String(restarts)
  return `${restarts} (${ageOf(lastRestart, now)} ago)`
}

function readinessGates(pod: KubeJson): string {
  const gates = listAt(pod, 'spec', 'readinessGates')
  if (gates.length === 0) return '<none>'
  const conditions = listAt(pod, 'status', 'conditions')
  const open = gates.filter((gate) => {
    const type = at(gate, 'conditionType')
    const condition = conditions.find((one) => at(one, 'type') === type)
    return at(condition, 'status') === 'True'
  })
  return `${open.length}/${gates.length}`
}
