import { authorizerType } from '../../cel/authorizer.ts'
import type { Declarations } from '../../cel/cel.ts'

/** Optional variables of an expression. */
export interface ExpressionScope {
  readonly params: boolean
  readonly authorizer: boolean
  /** Types of the policy's variables, in order; undefined if the expression has no `variables`. */
  readonly variables: ReadonlyMap<string, string> | undefined
}

/** The variables of a policy expression, with the types that Kubernetes gives them. */
export function declarationsFor(scope: ExpressionScope): Declarations {
  const known = made.get(scope) ?? declared(scope)
  made.set(scope, known)
  return known
}

/** Shared by all expressions of the same scope. */
const made = new WeakMap<ExpressionScope, Declarations>()

function declared({ params, authorizer, variables }: ExpressionScope): Declarations {
  return {
    records: {
      ...records,
      // A record needs at least one field; no policy can reference this one.
      ...(variables && { [variablesType]: Object.fromEntries([['-', 'dyn'], ...variables]) }),
    },
    variables: {
      object: 'dyn',
      oldObject: 'dyn',
      request: 'kubernetes.AdmissionRequest',
      namespaceObject: 'kubernetes.Namespace',
      ...(params && { params: 'dyn' }),
      ...(authorizer && { authorizer: authorizerType }),
      ...(variables && { variables: variablesType }),
    },
  }
}

const variablesType = 'kubernetes.variables'
const timestamp = 'google.protobuf.Timestamp'

const records: Declarations['records'] = {
  'kubernetes.GroupVersionKind': { group: 'string', version: 'string', kind: 'string' },
  'kubernetes.GroupVersionResource': { group: 'string', version: 'string', resource: 'string' },
  'kubernetes.UserInfo': {
    username: 'string',
    uid: 'string',
    groups: 'list<string>',
    extra: 'map<string, list<string>>',
  },
  'kubernetes.AdmissionRequest': {
    kind: 'kubernetes.GroupVersionKind',
    resource: 'kubernetes.GroupVersionResource',
    subResource: 'string',
    requestKind: 'kubernetes.GroupVersionKind',
    requestResource: 'kubernetes.GroupVersionResource',
    requestSubResource: 'string',
    name: 'string',
    namespace: 'string',
    operation: 'string',
    userInfo: 'kubernetes.UserInfo',
    dryRun: 'bool',
    options: 'dyn',
  },
  'kubernetes.NamespaceSpec': { finalizers: 'list<string>' },
  'kubernetes.NamespaceCondition': {
    status: 'string',
    type: 'string',
    lastTransitionTime: timestamp,
    message: 'string',
    reason: 'string',
  },
  'kubernetes.NamespaceStatus': {
    conditions: 'list<kubernetes.NamespaceCondition>',
    phase: 'string',
  },
  'kubernetes.NamespaceMetadata': {
    name: 'string',
    generateName: 'string',
    namespace: 'string',
    labels: 'map<string, string>',
    annotations: 'map<string, string>',
    UID: 'string',
    creationTimestamp: timestamp,
    deletionGracePeriodSeconds: 'int',
    deletionTimestamp: timestamp,
    generation: 'int',
    resourceVersion: 'string',
    finalizers: 'list<string>',
  },
  'kubernetes.Namespace': {
    metadata: 'kubernetes.NamespaceMetadata',
    spec: 'kubernetes.NamespaceSpec',
    status: 'kubernetes.NamespaceStatus',
  },
}
