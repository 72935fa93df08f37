import type { KubeObject } from '@machinist/core/objects/resource'
import type { LabelSelectorSpec } from '@machinist/core/objects/selectors'

export const policyGroup = 'admissionregistration.k8s.io'

/** As stored: validated and defaulted. */
export interface Policy extends KubeObject {
  readonly spec: PolicySpec
}

export interface PolicySpec {
  readonly paramKind?: ParamKind
  readonly matchConstraints?: MatchResources
  readonly matchConditions?: readonly NamedExpression[]
  readonly variables?: readonly NamedExpression[]
  readonly validations?: readonly Validation[]
  readonly auditAnnotations?: readonly AuditAnnotation[]
  readonly failurePolicy?: string
}

export interface ParamKind {
  readonly apiVersion: string
  readonly kind: string
}

export interface NamedExpression {
  readonly name: string
  readonly expression: string
}

export interface Validation {
  readonly expression: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: string
}

export interface AuditAnnotation {
  readonly key: string
  readonly valueExpression: string
}

export interface MatchResources {
  readonly namespaceSelector?: LabelSelectorSpec
  readonly objectSelector?: LabelSelectorSpec
  readonly resourceRules?: readonly ResourceRule[]
  readonly excludeResourceRules?: readonly ResourceRule[]
  readonly matchPolicy?: string
}

export interface ResourceRule {
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  /** `pods`, `pods/status`, `pods/*`, `*`, `*` + `/status`. */
  readonly resources?: readonly string[]
  readonly operations?: readonly string[]
  readonly scope?: string
  readonly resourceNames?: readonly string[]
}

/** Puts a policy into force, with parameters. A policy without a binding has no effect. */
export interface PolicyBinding extends KubeObject {
  readonly spec: {
    readonly policyName: string
    readonly paramRef?: ParamRef
    readonly matchResources?: MatchResources
    readonly validationActions?: readonly string[]
  }
}

export interface ParamRef {
  readonly name?: string
  readonly namespace?: string
  readonly selector?: LabelSelectorSpec
  readonly parameterNotFoundAction?: string
}
