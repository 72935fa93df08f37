import { authorizerType } from '../schema/cel-authorizer.ts'
import type { Declarations } from '../schema/cel.ts'

/** Which variables an expression may use beside those that all have. */
export interface Scope {
  readonly params: boolean
  readonly authorizer: boolean
  /** The types of the policy's variables, in order; undefined: there is no `variables`. */
  readonly variables: ReadonlyMap<string, string> | undefined
}

/** What an expression of a policy may use, with the types that Kubernetes gives it. */
export function declarationsFor(scope: Scope): Declarations {
  const known = made.get(scope) ?? declared(scope)
  made.set(scope, known)
  return known
}

/** Once for all expressions of the same scope. */
const made = new WeakMap<Scope, Declarations>()

function declared({ params, authorizer, variables }: Scope): Declarations {
  return {
    records: {
      ...records,
      // A record must have a field; no policy can name this one.
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
