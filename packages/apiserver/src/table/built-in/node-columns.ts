import type { Column } from '../../kinds/served-kind.ts'
import type { KubeJson } from './cells.ts'
import { ageColumn, at, column, listAt, mapAt, textAt, wideColumn } from './cells.ts'

const info = (name: string, otherwise?: string) => (node: KubeJson) =>
  textAt(node, ['status', 'nodeInfo', name], otherwise)

export const nodeColumns: readonly Column[] = [
  column('Status', status),
  column('Roles', roles),
  ageColumn,
  column('Version', info('kubeletVersion')),
  wideColumn('Internal-IP', address('InternalIP')),
  wideColumn('External-IP', address('ExternalIP')),
  wideColumn('OS-Image', info('osImage', '<unknown>')),
  wideColumn('Kernel-Version', info('kernelVersion', '<unknown>')),
  wideColumn('Container-Runtime', info('containerRuntimeVersion', '<unknown>')),
]

function status(node: KubeJson): string {
  const ready = listAt(node, 'status', 'conditions').findLast(
    (condition) => at(condition, 'type') === 'Ready',
  )
  const word = !ready ? 'Unknown' : at(ready, 'status') === 'True' ? 'Ready' : 'NotReady'
  return at(node, 'spec', 'unschedulable') === true ? `${word},SchedulingDisabled` : word
}

function roles(node: KubeJson): string {
  const found = new Set<string>()
  for (const [key, value] of Object.entries(mapAt(node, 'metadata', 'labels'))) {
    const role = key.startsWith(rolePrefix) ? key.slice(rolePrefix.length) : ''
    if (role !== '') found.add(role)
    if (key === 'kubernetes.io/role' && typeof value === 'string' && value !== '') found.add(value)
  }
  return [...found].sort().join(',') || '<none>'
}

const rolePrefix = 'node-role.kubernetes.io/'

function address(type: string): (node: KubeJson) => string {
  return (node) => {
    const found = listAt(node, 'status', 'addresses').find((one) => at(one, 'type') === type)
    return found === undefined ? '<none>' : textAt(found, ['address'])
  }
}
