import type { Column } from '../../kinds/served-kind.ts'
import type { KubeJson } from './cells.ts'
import {
  ageColumn,
  column,
  labelsText,
  listAt,
  mapAt,
  numberAt,
  textAt,
  wideColumn,
} from './cells.ts'

export const serviceColumns: readonly Column[] = [
  column('Type', (service) => textAt(service, ['spec', 'type'])),
  column('Cluster-IP', (service) => textAt(service, ['spec', 'clusterIP'], '<none>')),
  column('External-IP', externalIp),
  column('Port(s)', ports),
  ageColumn,
  wideColumn('Selector', (service) => labelsText(mapAt(service, 'spec', 'selector'))),
]

function externalIp(service: KubeJson): string {
  const type = textAt(service, ['spec', 'type'])
  if (type === 'ExternalName') return textAt(service, ['spec', 'externalName'])
  const external = listAt(service, 'spec', 'externalIPs').filter((ip) => typeof ip === 'string')
  if (type === 'LoadBalancer') return [...balancers(service), ...external].join(',') || '<pending>'
  if (type === 'ClusterIP' || type === 'NodePort') return external.join(',') || '<none>'
  return '<unknown>'
}

function balancers(service: KubeJson): string[] {
  const names = listAt(service, 'status', 'loadBalancer', 'ingress')
    .map((one) => textAt(one, ['ip'], textAt(one, ['hostname'])))
    .filter((name) => name !== '')
  return [...new Set(names)].sort()
}

function ports(service: KubeJson): string {
  const pieces = listAt(service, 'spec', 'ports').map((port) => {
    const node = numberAt(port, 'nodePort')
    const outside = node > 0 ? `:${node}` : ''
    return `${numberAt(port, 'port')}${outside}/${textAt(port, ['protocol'])}`
  })
  return pieces.join(',') || '<none>'
}
