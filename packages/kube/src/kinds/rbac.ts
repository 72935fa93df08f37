import type { KubeObject } from '@machinist/core/objects/resource'
import { resource } from '@machinist/core/objects/resource'
import type { LabelSelectorSpec } from '@machinist/core/objects/selectors'

export interface PolicyRule {
  verbs: string[]
  apiGroups?: string[]
  resources?: string[]
  resourceNames?: string[]
  nonResourceURLs?: string[]
}

export interface Role extends KubeObject {
  rules?: PolicyRule[] | null
}

export interface ClusterRole extends KubeObject {
  rules?: PolicyRule[] | null
  aggregationRule?: { clusterRoleSelectors?: LabelSelectorSpec[] }
}

export interface RoleReference {
  apiGroup: string
  kind: 'Role' | 'ClusterRole'
  name: string
}

export interface Subject {
  kind: 'User' | 'Group' | 'ServiceAccount'
  apiGroup?: string
  name: string
  namespace?: string
}

export interface RoleBinding extends KubeObject {
  roleRef: RoleReference
  subjects?: Subject[]
}

export interface ClusterRoleBinding extends KubeObject {
  roleRef: RoleReference
  subjects?: Subject[]
}

const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' }

export const roles = resource<Role>({ ...rbac, kind: 'Role', plural: 'roles', namespaced: true })
export const roleBindings = resource<RoleBinding>({
  ...rbac,
  kind: 'RoleBinding',
  plural: 'rolebindings',
  namespaced: true,
})
export const clusterRoles = resource<ClusterRole>({
  ...rbac,
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
})
export const clusterRoleBindings = resource<ClusterRoleBinding>({
  ...rbac,
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  namespaced: false,
})
