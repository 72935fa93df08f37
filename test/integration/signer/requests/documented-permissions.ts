import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseYamlDocuments } from '@machinist/core/encoding/yaml'
import type { KubeClient } from '@machinist/kube/client/client'
import type { ClusterRole, Role, RoleReference, Subject } from '@machinist/kube/kinds/rbac'
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '@machinist/kube/kinds/rbac'

const file = join(import.meta.dirname, '../../../../docs/certificate-requests.md')
const apiGroup = 'rbac.authorization.k8s.io'

/** Grants a user exactly the permissions in the docs. */
export async function grantDocumentedPermissions(client: KubeClient, user: string): Promise<void> {
  const subjects: Subject[] = [{ kind: 'User', name: user, apiGroup }]
  const [, yaml = ''] = /```yaml\n(.*?)```/s.exec(readFileSync(file, 'utf8')) ?? []
  const [whole, inDefault] = parseYamlDocuments(yaml, file) as [ClusterRole, Role]
  await client.create(clusterRoles, whole)
  await client.create(roles, inDefault)
  const { metadata } = inDefault
  const roleRef: RoleReference = { apiGroup, kind: 'Role', name: metadata.name }
  await client.create(roleBindings, { metadata, roleRef, subjects })
  await bind(client, whole.metadata.name, subjects[0]!)
}

/** Binds a ClusterRole. */
export async function bind(client: KubeClient, role: string, subject: Subject): Promise<void> {
  const name = `${role}-${subject.name}`.replaceAll(':', '-')
  const roleRef: RoleReference = { apiGroup, kind: 'ClusterRole', name: role }
  await client.create(clusterRoleBindings, { metadata: { name }, roleRef, subjects: [subject] })
}

export const group = (name: string): Subject => ({ kind: 'Group', name, apiGroup })
