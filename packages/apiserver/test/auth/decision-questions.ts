import type { Attributes } from '../../src/authorization/attributes.ts'
import type {
  AnyBinding,
  AnyRole,
  PolicyRule,
  RbacObject,
  Subject,
} from '../../src/authorization/rbac-objects.ts'
import { rbacGroup } from '../../src/authorization/rbac-objects.ts'

/** A question for the real server (record.ts) and the embedded one: is this user allowed to do that? */
export interface Question {
  readonly user: string
  readonly groups: readonly string[]
  readonly attributes: Attributes
}

const apiVersion = `${rbacGroup}/v1`
const words = (text: string): string[] => (text === '' ? [] : text.split(' '))

const rule = (verbs: string, groups: string, resources: string, names = ''): PolicyRule => ({
  verbs: words(verbs),
  apiGroups: words(groups).map((group) => (group === 'core' ? '' : group)),
  resources: words(resources),
  ...(names !== '' && { resourceNames: words(names) }),
})
const urls = (verbs: string, paths: string): PolicyRule => ({
  verbs: words(verbs),
  nonResourceURLs: words(paths),
})

const clusterRole = (name: string, ...rules: PolicyRule[]): AnyRole => ({
  apiVersion,
  kind: 'ClusterRole',
  metadata: { name },
  rules,
})
const role = (namespace: string, name: string, ...rules: PolicyRule[]): AnyRole => ({
  apiVersion,
  kind: 'Role',
  metadata: { name, namespace },
  rules,
})

/** `User:jane`, `Group:staff`, `ServiceAccount:blue/robot` */
function subject(text: string): Subject {
  const colon = text.indexOf(':')
  const kind = text.slice(0, colon)
  const name = text.slice(colon + 1)
  if (kind !== 'ServiceAccount') return { apiGroup: rbacGroup, kind, name }
  const [namespace, account] = name.split('/')
  return { kind, name: account!, namespace }
}

const everywhere = (name: string, toRole: string, ...subjects: string[]): AnyBinding => ({
  apiVersion,
  kind: 'ClusterRoleBinding',
  metadata: { name },
  subjects: subjects.map(subject),
  roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: toRole },
})
/** The role is `ClusterRole/name` or a role of the namespace. */
function within(
  namespace: string,
  name: string,
  toRole: string,
  ...subjects: string[]
): AnyBinding {
  const cluster = toRole.startsWith('ClusterRole/')
  return {
    apiVersion,
    kind: 'RoleBinding',
    metadata: { name, namespace },
    subjects: subjects.map(subject),
    roleRef: {
      apiGroup: rbacGroup,
      kind: cluster ? 'ClusterRole' : 'Role',
      name: cluster ? toRole.slice('ClusterRole/'.length) : toRole,
    },
  }
}

export const namespaces = ['blue', 'green']

export const objects: readonly RbacObject[] = [
  clusterRole('q-pod-reader', rule('get list watch', 'core', 'pods')),
  clusterRole('q-log-reader', rule('get', 'core', 'pods/log')),
  clusterRole('q-scaler', rule('get update patch', '*', '*/scale')),
  clusterRole('q-apps-all', rule('*', 'apps', '*')),
  clusterRole('q-verbs-all', rule('*', 'core', 'configmaps secrets')),
  clusterRole('q-groups-all', rule('list', '*', 'events')),
  clusterRole('q-everything', rule('*', '*', '*')),
  clusterRole('q-named-node', rule('get patch watch', 'core', 'nodes', 'n1 n2')),
  clusterRole('q-named-create', rule('create list', 'core', 'secrets', 's1')),
  clusterRole('q-node-status', rule('patch', 'core', 'nodes/status')),
  clusterRole('q-metrics', urls('get', '/metrics /healthz/*')),
  clusterRole('q-urls-all', urls('*', '*')),
  clusterRole('q-urls-stars', urls('get head', '/logs* /a/*/b /double**')),
  clusterRole('q-empty'),
  clusterRole(
    'q-two',
    rule('get', 'core', 'pods'),
    rule('delete', 'core apps', 'pods deployments'),
  ),
  clusterRole('q-impersonator', rule('impersonate', 'core', 'users groups')),
  clusterRole('q-approver', rule('approve', 'certificates.k8s.io', 'signers', 'example.com/*')),
  clusterRole(
    'q-pools',
    rule('get list', 'machineconfiguration.openshift.io', 'machineconfigpools'),
  ),
  clusterRole('q-star-sub', rule('get', 'core', 'pods/*')),
  role('blue', 'q-maps', rule('get create', 'core', 'configmaps')),
  role('blue', 'q-one-map', rule('get update delete', 'core', 'configmaps', 'settings')),
  role('blue', 'q-leases', rule('get create update', 'coordination.k8s.io', 'leases')),
  role('green', 'q-maps', rule('delete', 'core', 'configmaps')),
  role('green', 'q-star', rule('*', '*', '*')),
  everywhere('q-01', 'q-pod-reader', 'User:reader'),
  everywhere('q-02', 'q-log-reader', 'User:logs', 'Group:loggers'),
  everywhere('q-03', 'q-scaler', 'User:scaler'),
  everywhere('q-04', 'q-apps-all', 'Group:app-team'),
  everywhere('q-05', 'q-verbs-all', 'User:verbs'),
  everywhere('q-06', 'q-groups-all', 'User:groups'),
  everywhere('q-07', 'q-everything', 'User:boss'),
  everywhere('q-08', 'q-named-node', 'User:named', 'User:second-named'),
  everywhere('q-09', 'q-named-create', 'User:maker'),
  everywhere('q-10', 'q-node-status', 'ServiceAccount:blue/daemon'),
  everywhere('q-11', 'q-metrics', 'ServiceAccount:blue/scraper', 'Group:scrapers'),
  everywhere('q-12', 'q-urls-all', 'User:walker'),
  everywhere('q-13', 'q-urls-stars', 'User:stars'),
  everywhere('q-14', 'q-empty', 'User:empty'),
  everywhere('q-15', 'q-two', 'Group:two'),
  everywhere('q-16', 'q-impersonator', 'Group:system:serviceaccounts:green'),
  everywhere('q-17', 'q-approver', 'User:approver'),
  everywhere('q-18', 'q-pools', 'User:pools'),
  everywhere('q-19', 'q-star-sub', 'User:star-sub'),
  everywhere('q-20', 'q-nowhere', 'User:dangling'),
  everywhere('q-21', 'q-pod-reader', 'User:system:serviceaccount:green:typed'),
  everywhere('q-22', 'q-pod-reader'),
  everywhere('q-23', 'q-nowhere', 'User:reader-and-dangling'),
  everywhere('q-24', 'q-pod-reader', 'User:reader-and-dangling'),
  everywhere('q-25', 'q-pod-reader', 'User:*'),
  within('blue', 'q-30', 'q-maps', 'User:mapper'),
  within('blue', 'q-31', 'q-one-map', 'User:one-map', 'ServiceAccount:green/visitor'),
  within('blue', 'q-32', 'q-leases', 'ServiceAccount:blue/daemon'),
  within('green', 'q-33', 'q-maps', 'User:mapper'),
  within('green', 'q-34', 'q-star', 'User:green-boss'),
  within('blue', 'q-35', 'ClusterRole/q-pod-reader', 'User:blue-reader'),
  within('blue', 'q-36', 'ClusterRole/q-everything', 'User:blue-boss'),
  within('blue', 'q-37', 'ClusterRole/q-metrics', 'User:blue-metrics'),
  within('blue', 'q-38', 'q-absent', 'User:dangling'),
  within('blue', 'q-39', 'ClusterRole/q-named-node', 'User:blue-named'),
  within('green', 'q-40', 'ClusterRole/q-scaler', 'Group:system:serviceaccounts'),
]

type ResourceText = string

/** `verb group/resource[/sub] [name] [@namespace]`, `core` for the group without a name. */
function expected(text: ResourceText): Attributes {
  const [verb, what, ...rest] = text.split(' ')
  if (what!.startsWith('/') || what === '') return { verb: verb!, path: what! }
  const [group, resource, subresource] = what!.split('|')
  const namespace = rest.find((part) => part.startsWith('@'))?.slice(1)
  const name = rest.find((part) => !part.startsWith('@'))
  return {
    verb: verb!,
    group: group === 'core' ? '' : group!,
    resource: resource!,
    ...(subresource !== undefined && { subresource }),
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
  }
}

const people: readonly (readonly [string, string])[] = [
  ['reader', ''],
  ['logs', ''],
  ['somebody', 'loggers'],
  ['scaler', ''],
  ['dev', 'app-team other'],
  ['verbs', ''],
  ['groups', ''],
  ['boss', ''],
  ['named', ''],
  ['second-named', ''],
  ['maker', ''],
  ['system:serviceaccount:blue:daemon', 'system:serviceaccounts system:serviceaccounts:blue'],
  ['system:serviceaccount:blue:scraper', ''],
  ['scrape', 'scrapers'],
  ['walker', ''],
  ['stars', ''],
  ['empty', ''],
  ['duo', 'two loggers'],
  ['system:serviceaccount:green:visitor', 'system:serviceaccounts system:serviceaccounts:green'],
  ['system:serviceaccount:green:typed', ''],
  ['approver', ''],
  ['pools', ''],
  ['star-sub', ''],
  ['dangling', ''],
  ['reader-and-dangling', ''],
  ['mapper', ''],
  ['one-map', ''],
  ['green-boss', ''],
  ['blue-reader', ''],
  ['blue-boss', ''],
  ['blue-metrics', ''],
  ['blue-named', ''],
  ['nobody', ''],
  ['member', 'system:authenticated'],
  ['system:anonymous', 'system:unauthenticated'],
  ['root', 'system:masters'],
]

/** Questions for every user. */
const forAll: readonly ResourceText[] = [
  'get core|pods p @blue',
  'list core|pods',
  'get core|pods|log p @blue',
  'update apps|deployments|scale d @green',
  'get core|nodes n1',
  'get core|configmaps settings @blue',
  'delete core|configmaps settings @green',
  'get /metrics',
  'get /healthz/ping',
]

const special: Readonly<Record<string, readonly ResourceText[]>> = {
  reader: ['watch core|pods @green', 'get core|pods|status p @blue', 'GET core|pods p @blue'],
  logs: ['list core|pods|log @blue', 'get core|pods|logs p @blue', 'get apps|pods|log p @blue'],
  scaler: ['get example.com|widgets|scale w @blue', 'get core|scale', 'get core|pods|x/scale p'],
  dev: ['deletecollection apps|statefulsets @blue', 'get apps|deployments|status d', 'get core|x'],
  verbs: ['fly core|secrets s @blue', '* core|secrets', 'get core|secrets|x s @blue'],
  groups: ['list events.k8s.io|events @blue', 'list core|events', 'get core|events e @blue'],
  boss: ['* *|*', 'fly x|y|z', 'get /x', 'use policy|podsecuritypolicies p'],
  named: ['list core|nodes', 'list core|nodes n1', 'watch core|nodes n2', 'patch core|nodes n3'],
  maker: ['create core|secrets @blue', 'create core|secrets s1 @blue', 'list core|secrets @blue'],
  walker: ['get /', 'post /anything/else', 'delete /metrics', 'get core|pods p @blue'],
  stars: [
    'get /logs',
    'get /logs/x',
    'get /logsx',
    'get /log',
    'get /a/x/b',
    'get /a/*/b',
    'head /double',
    'head /doublex',
    'post /logs',
  ],
  duo: ['delete apps|deployments d @blue', 'delete apps|pods p', 'delete core|deployments'],
  approver: [
    'approve certificates.k8s.io|signers example.com/*',
    'approve certificates.k8s.io|signers example.com/x',
    'approve certificates.k8s.io|signers',
  ],
  pools: [
    'get machineconfiguration.openshift.io|machineconfigpools worker',
    'patch machineconfiguration.openshift.io|machineconfigpools worker',
  ],
  'star-sub': ['get core|pods|* p', 'get core|pods|log p'],
  mapper: ['create core|configmaps @blue', 'create core|configmaps @green', 'get core|configmaps'],
  'one-map': ['update core|configmaps other @blue', 'delete core|configmaps settings @blue'],
  'green-boss': ['create apps|deployments @green', 'get /x', 'get core|nodes n1 @green'],
  'blue-boss': ['create apps|deployments @blue', 'create core|namespaces', 'get /healthz'],
  'blue-named': ['get core|nodes n1 @blue', 'get core|nodes n3 @blue'],
  member: [
    'get /api',
    'get /apis/apps/v1',
    'get /version',
    'get /openapi/v3',
    'get /livez/ping',
    'create authorization.k8s.io|selfsubjectaccessreviews',
    'create authentication.k8s.io|selfsubjectreviews',
    'create authentication.k8s.io|tokenreviews',
  ],
  'system:anonymous': ['get /healthz', 'get /livez', 'get /version', 'get /api', 'post /healthz'],
  'system:serviceaccount:blue:daemon': [
    'patch core|nodes|status n9',
    'patch core|nodes n9',
    'update coordination.k8s.io|leases l @blue',
    'update coordination.k8s.io|leases l @green',
  ],
  'system:serviceaccount:green:visitor': [
    'impersonate core|users jane',
    'delete core|configmaps settings @blue',
    'get /openid/v1/jwks',
  ],
}

export const questions: readonly Question[] = people.flatMap(([user, groups]) =>
  [...forAll, ...(special[user] ?? [])].map((text) => ({
    user,
    groups: words(groups),
    attributes: expected(text),
  })),
)
