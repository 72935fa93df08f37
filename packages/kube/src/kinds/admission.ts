import type { JsonObject } from '@machinist/core/encoding/json'
import type { Condition, KubeObject } from '@machinist/core/objects/resource'
import { resource } from '@machinist/core/objects/resource'
import type { LabelSelectorSpec } from '@machinist/core/objects/selectors'

export interface ValidatingAdmissionPolicy extends KubeObject {
  spec: {
    failurePolicy?: 'Fail' | 'Ignore'
    paramKind?: { apiVersion: string; kind: string }
    matchConstraints?: AdmissionMatch
    matchConditions?: { name: string; expression: string }[]
    validations?: Validation[]
    auditAnnotations?: { key: string; valueExpression: string }[]
    variables?: { name: string; expression: string }[]
  }
  status?: {
    observedGeneration?: number
    typeChecking?: { expressionWarnings?: { fieldRef: string; warning: string }[] }
    conditions?: Condition[]
  }
}

export interface AdmissionMatch {
  namespaceSelector?: LabelSelectorSpec
  objectSelector?: LabelSelectorSpec
  resourceRules?: {
    apiGroups: string[]
    apiVersions: string[]
    resources: string[]
    operations: ('CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT' | '*')[]
    scope?: 'Cluster' | 'Namespaced' | '*'
    resourceNames?: string[]
  }[]
  matchPolicy?: 'Exact' | 'Equivalent'
}

export interface Validation {
  expression: string
  message?: string
  messageExpression?: string
  reason?: string
}

export interface ValidatingAdmissionPolicyBinding extends KubeObject {
  spec: {
    policyName: string
    validationActions: ('Deny' | 'Warn' | 'Audit')[]
    matchResources?: AdmissionMatch
    paramRef?: JsonObject
  }
}

const admission = { group: 'admissionregistration.k8s.io', version: 'v1' }

export const validatingAdmissionPolicies = resource<ValidatingAdmissionPolicy>({
  ...admission,
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
  namespaced: false,
})
export const validatingAdmissionPolicyBindings = resource<ValidatingAdmissionPolicyBinding>({
  ...admission,
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
  namespaced: false,
})
