import { defaultObjectMetadata } from './default-roles.ts'
import type { ClusterRoleBinding, Subject } from './rbac-objects.ts'
import { rbacGroup } from './rbac-objects.ts'

/** Subjects of the default cluster roles; each binding has the name of its role. */
export function defaultClusterRoleBindings(): ClusterRoleBinding[] {
  return Object.entries(bindings).map(([name, subjects]) => ({
    apiVersion: `${rbacGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name, ...defaultObjectMetadata },
    subjects,
    roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name },
  }))
}

const group = (name: string): Subject => ({
  apiGroup: rbacGroup,
  kind: 'Group',
  name,
})

const bindings: Readonly<Record<string, readonly Subject[]>> = {
  'cluster-admin': [group('system:masters')],
  'system:basic-user': [group('system:authenticated')],
  'system:discovery': [group('system:authenticated')],
  'system:monitoring': [group('system:monitoring')],
  'system:node-proxier': [{ ...group('system:kube-proxy'), kind: 'User' }],
  'system:public-info-viewer': [group('system:authenticated'), group('system:unauthenticated')],
  'system:service-account-issuer-discovery': [group('system:serviceaccounts')],
}
