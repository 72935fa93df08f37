import type { Column, ServedKind, Verb } from '../../src/kinds/served-kind.ts'
import { builtInColumns } from '../../src/table/built-in/built-in-columns.ts'
import { plurals } from './recorded.ts'

const verbs: readonly Verb[] = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch']

/** A built-in kind as the server describes it. */
export function builtInKind(apiVersion: string, kind: string, namespaced = true): ServedKind {
  const [version, group = ''] = apiVersion.split('/').toReversed() as [string, string?]
  const columns = builtInColumns(group, kind)
  return { ...served(group, version, kind, columns), namespaced, builtIn: true }
}

export function customKind(
  apiVersion: string,
  kind: string,
  columns: readonly Column[],
  schema?: ServedKind['schema'],
): ServedKind {
  const [group, version] = apiVersion.split('/') as [string, string]
  return { ...served(group, version, kind, columns), ...(schema ? { schema } : {}) }
}

function served(
  group: string,
  version: string,
  kind: string,
  columns: readonly Column[],
): ServedKind {
  return {
    group,
    version,
    kind,
    listKind: `${kind}List`,
    plural: plurals[kind] ?? `${kind.toLowerCase()}s`,
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced: true,
    verbs,
    subresources: [{ name: 'status', verbs: ['get', 'patch', 'update'] }],
    columns,
    builtIn: false,
    selectableFields: [],
  }
}

/** Every stored built-in kind. */
export const builtInKinds: readonly ServedKind[] = [
  ['v1', 'ConfigMap Secret ServiceAccount Service Pod Event'],
  ['events.k8s.io/v1', 'Event'],
  ['coordination.k8s.io/v1', 'Lease'],
  ['policy/v1', 'PodDisruptionBudget'],
  ['apps/v1', 'Deployment DaemonSet'],
  ['rbac.authorization.k8s.io/v1', 'Role RoleBinding'],
]
  .flatMap(([apiVersion, names]) =>
    names!.split(' ').map((kind) => builtInKind(apiVersion!, kind, true)),
  )
  .concat(
    [
      ['v1', 'Namespace Node'],
      ['certificates.k8s.io/v1', 'CertificateSigningRequest'],
      ['rbac.authorization.k8s.io/v1', 'ClusterRole ClusterRoleBinding'],
      ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
    ].flatMap(([apiVersion, names]) =>
      names!.split(' ').map((kind) => builtInKind(apiVersion!, kind, false)),
    ),
  )
