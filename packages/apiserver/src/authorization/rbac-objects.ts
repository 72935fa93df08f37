import type { LabelSelectorSpec } from '@machinist/core/objects/selectors'

export const rbacGroup = 'rbac.authorization.k8s.io'

export interface PolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

interface RbacMeta {
  readonly name: string
  readonly namespace?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

export interface Role {
  readonly apiVersion?: string
  readonly kind: 'Role'
  readonly metadata: RbacMeta
  readonly rules?: readonly PolicyRule[] | null
}

export interface ClusterRole {
  readonly apiVersion?: string
  readonly kind: 'ClusterRole'
  readonly metadata: RbacMeta
  readonly rules?: readonly PolicyRule[] | null
  /** If present, the rules are those of all cluster roles that the selectors match. */
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelectorSpec[] | null }
}

export interface Subject {
  readonly apiGroup?: string
  readonly kind: string
  readonly name: string
  readonly namespace?: string
}

export interface RoleRef {
  readonly apiGroup?: string
  readonly kind: string
  readonly name: string
}

export interface RoleBinding {
  readonly apiVersion?: string
  readonly kind: 'RoleBinding'
  readonly metadata: RbacMeta
  readonly subjects?: readonly Subject[] | null
  readonly roleRef: RoleRef
}

export interface ClusterRoleBinding {
  readonly apiVersion?: string
  readonly kind: 'ClusterRoleBinding'
  readonly metadata: RbacMeta
  readonly subjects?: readonly Subject[] | null
  readonly roleRef: RoleRef
}

export type AnyRole = Role | ClusterRole
export type AnyBinding = RoleBinding | ClusterRoleBinding
export type RbacObject = AnyRole | AnyBinding

/** An object was written or removed. */
export interface RbacChange {
  readonly type: 'present' | 'removed'
  readonly object: RbacObject
}
