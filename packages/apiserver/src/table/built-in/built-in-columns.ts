import type { Column } from '../../kinds/served-kind.ts'
import { bindingColumns, signingRequestColumns } from './access-columns.ts'
import { ageColumn, at, column, listAt, mapAt, textAt } from './cells.ts'
import { eventColumns } from './event-columns.ts'
import { nodeColumns } from './node-columns.ts'
import { podColumns } from './pod-columns.ts'
import { serviceColumns } from './service-columns.ts'
import { daemonSetColumns, deploymentColumns, disruptionBudgetColumns } from './workload-columns.ts'

/** The columns of a built-in kind after NAME. */
export function builtInColumns(group: string, kind: string): readonly Column[] {
  const name = group === '' ? kind : `${kind}.${group}`
  return Object.hasOwn(known, name) ? known[name]! : [createdAt]
}

const size = (map: unknown): number => Object.keys(map ?? {}).length

const known: Readonly<Record<string, readonly Column[]>> = {
  Namespace: [column('Status', (namespace) => textAt(namespace, ['status', 'phase'])), ageColumn],
  ConfigMap: [
    column('Data', (map) => size(mapAt(map, 'data')) + size(mapAt(map, 'binaryData'))),
    ageColumn,
  ],
  Secret: [
    column('Type', (secret) => textAt(secret, ['type'])),
    column('Data', (secret) => size(mapAt(secret, 'data'))),
    ageColumn,
  ],
  ServiceAccount: [column('Secrets', (account) => listAt(account, 'secrets').length), ageColumn],
  Service: serviceColumns,
  Node: nodeColumns,
  Pod: podColumns,
  Event: eventColumns,
  'Event.events.k8s.io': eventColumns,
  'Lease.coordination.k8s.io': [
    column('Holder', (lease) => textAt(lease, ['spec', 'holderIdentity'])),
    ageColumn,
  ],
  'PodDisruptionBudget.policy': disruptionBudgetColumns,
  'CertificateSigningRequest.certificates.k8s.io': signingRequestColumns,
  'Deployment.apps': deploymentColumns,
  'DaemonSet.apps': daemonSetColumns,
  'RoleBinding.rbac.authorization.k8s.io': bindingColumns,
  'ClusterRoleBinding.rbac.authorization.k8s.io': bindingColumns,
}

/** For kinds without columns of their own, e.g. Role and CustomResourceDefinition. */
const createdAt = column(
  'Created At',
  (object) => at(object, 'metadata', 'creationTimestamp') ?? null,
  'date',
)
