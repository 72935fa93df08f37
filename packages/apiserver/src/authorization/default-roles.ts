import type { ClusterRole, PolicyRule } from './rbac-objects.ts'

/** The default cluster roles that users, kubelets and Machinist rely on. */
export function defaultClusterRoles(): ClusterRole[] {
  return Object.entries(roles).map(([name, role]) => clusterRole(name, role))
}

/** Marks default objects: the server reconciles them. */
export const defaultObjectMetadata = {
  labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
  annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
} as const

interface CompactRole {
  /** The role that aggregates this one. */
  readonly into?: string
  /** An aggregating role: it has the rules of the roles with this label. */
  readonly collects?: string
  readonly rules?: readonly PolicyRule[]
}

function clusterRole(name: string, { into, collects, rules }: CompactRole): ClusterRole {
  const labels = into
    ? { ...defaultObjectMetadata.labels, [aggregateTo(into)]: 'true' }
    : defaultObjectMetadata.labels
  const role: ClusterRole = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name, labels, annotations: defaultObjectMetadata.annotations },
    rules: rules ?? null,
  }
  if (!collects) return role
  const matchLabels = { [aggregateTo(collects)]: 'true' }
  return { ...role, aggregationRule: { clusterRoleSelectors: [{ matchLabels }] } }
}

const aggregateTo = (role: string): string => `rbac.authorization.k8s.io/aggregate-to-${role}`

const words = (text: string): string[] => text.split(' ')

/** `core` is the core group. */
const can = (verbs: string, groups: string, resources: string, objects?: string): PolicyRule => ({
  verbs: words(verbs),
  apiGroups: words(groups).map((group) => (group === 'core' ? '' : group)),
  resources: words(resources),
  ...(objects !== undefined && { resourceNames: words(objects) }),
})

const visit = (verbs: string, urls: string): PolicyRule => ({
  verbs: words(verbs),
  nonResourceURLs: words(urls),
})

const reading = 'get list watch'
const writing = 'create delete deletecollection patch update'

const roles: Readonly<Record<string, CompactRole>> = {
  'cluster-admin': { rules: [can('*', '*', '*'), visit('*', '*')] },
  admin: { collects: 'admin' },
  edit: { into: 'admin', collects: 'edit' },
  view: { into: 'edit', collects: 'view' },
  'system:aggregate-to-admin': {
    into: 'admin',
    rules: [
      can('create', 'authorization.k8s.io', 'localsubjectaccessreviews'),
      can(
        'create delete deletecollection get list patch update watch',
        'rbac.authorization.k8s.io',
        'rolebindings roles',
      ),
    ],
  },
  'system:aggregate-to-edit': {
    into: 'edit',
    rules: [
      can(
        reading,
        'core',
        'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy',
      ),
      can('impersonate', 'core', 'serviceaccounts'),
      can(writing, 'core', 'pods pods/attach pods/exec pods/portforward pods/proxy'),
      can('create', 'core', 'pods/eviction'),
      can(
        writing,
        'core',
        'configmaps events persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
      ),
      can('create', 'core', 'serviceaccounts/token'),
      can(
        writing,
        'apps',
        'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
      ),
      can(writing, 'autoscaling', 'horizontalpodautoscalers'),
      can(writing, 'batch', 'cronjobs jobs'),
      can(
        writing,
        'extensions',
        'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
      ),
      can(writing, 'policy', 'poddisruptionbudgets'),
      can(writing, 'networking.k8s.io', 'ingresses networkpolicies'),
      can(
        'create delete deletecollection get list patch update watch',
        'coordination.k8s.io',
        'leases',
      ),
    ],
  },
  'system:aggregate-to-view': {
    into: 'view',
    rules: [
      can(
        reading,
        'core',
        'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
      ),
      can(
        reading,
        'core',
        'bindings events limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
      ),
      can(reading, 'core', 'namespaces'),
      can(reading, 'discovery.k8s.io', 'endpointslices'),
      can(
        reading,
        'apps',
        'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
      ),
      can(reading, 'autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status'),
      can(reading, 'batch', 'cronjobs cronjobs/status jobs jobs/status'),
      can(
        reading,
        'extensions',
        'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
      ),
      can(reading, 'policy', 'poddisruptionbudgets poddisruptionbudgets/status'),
      can(reading, 'networking.k8s.io', 'ingresses ingresses/status networkpolicies'),
    ],
  },
  'system:auth-delegator': {
    rules: [
      can('create', 'authentication.k8s.io', 'tokenreviews'),
      can('create', 'authorization.k8s.io', 'subjectaccessreviews'),
    ],
  },
  'system:basic-user': {
    rules: [
      can('create', 'authorization.k8s.io', 'selfsubjectaccessreviews selfsubjectrulesreviews'),
      can('create', 'authentication.k8s.io', 'selfsubjectreviews'),
    ],
  },
  'system:certificates.k8s.io:certificatesigningrequests:nodeclient': {
    rules: [can('create', 'certificates.k8s.io', 'certificatesigningrequests/nodeclient')],
  },
  'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient': {
    rules: [can('create', 'certificates.k8s.io', 'certificatesigningrequests/selfnodeclient')],
  },
  'system:certificates.k8s.io:kube-apiserver-client-approver': {
    rules: [
      can('approve', 'certificates.k8s.io', 'signers', 'kubernetes.io/kube-apiserver-client'),
    ],
  },
  'system:certificates.k8s.io:kube-apiserver-client-kubelet-approver': {
    rules: [
      can(
        'approve',
        'certificates.k8s.io',
        'signers',
        'kubernetes.io/kube-apiserver-client-kubelet',
      ),
    ],
  },
  'system:certificates.k8s.io:kubelet-serving-approver': {
    rules: [can('approve', 'certificates.k8s.io', 'signers', 'kubernetes.io/kubelet-serving')],
  },
  'system:certificates.k8s.io:legacy-unknown-approver': {
    rules: [can('approve', 'certificates.k8s.io', 'signers', 'kubernetes.io/legacy-unknown')],
  },
  'system:discovery': {
    rules: [
      visit(
        'get',
        '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/',
      ),
    ],
  },
  'system:kubelet-api-admin': {
    rules: [
      can(reading, 'core', 'nodes'),
      can('proxy', 'core', 'nodes'),
      can('*', 'core', 'nodes/log nodes/metrics nodes/proxy nodes/stats'),
    ],
  },
  'system:monitoring': {
    rules: [
      visit('get', '/healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*'),
    ],
  },
  'system:node': {
    rules: [
      can('create', 'authentication.k8s.io', 'tokenreviews'),
      can('create', 'authorization.k8s.io', 'localsubjectaccessreviews subjectaccessreviews'),
      can(reading, 'core', 'services'),
      can('create get list watch', 'core', 'nodes'),
      can('patch update', 'core', 'nodes/status'),
      can('patch update', 'core', 'nodes'),
      can('create patch update', 'core', 'events'),
      can(reading, 'core', 'pods'),
      can('create delete', 'core', 'pods'),
      can('patch update', 'core', 'pods/status'),
      can('create', 'core', 'pods/eviction'),
      can(reading, 'core', 'configmaps secrets'),
      can('get', 'core', 'persistentvolumeclaims persistentvolumes'),
      can('get', 'core', 'endpoints'),
      can('create get list watch', 'certificates.k8s.io', 'certificatesigningrequests'),
      can('create delete get patch update', 'coordination.k8s.io', 'leases'),
      can('get', 'storage.k8s.io', 'volumeattachments'),
      can('create', 'core', 'serviceaccounts/token'),
      can('get patch update', 'core', 'persistentvolumeclaims/status'),
      can(reading, 'storage.k8s.io', 'csidrivers'),
      can('create delete get patch update', 'storage.k8s.io', 'csinodes'),
      can(reading, 'node.k8s.io', 'runtimeclasses'),
    ],
  },
  'system:node-bootstrapper': {
    rules: [can('create get list watch', 'certificates.k8s.io', 'certificatesigningrequests')],
  },
  'system:node-problem-detector': {
    rules: [
      can('get', 'core', 'nodes'),
      can('patch', 'core', 'nodes/status'),
      can('create patch update', 'core events.k8s.io', 'events'),
    ],
  },
  'system:node-proxier': {
    rules: [
      can('list watch', 'core', 'endpoints services'),
      can(reading, 'core', 'nodes'),
      can('create patch update', 'core events.k8s.io', 'events'),
      can('list watch', 'discovery.k8s.io', 'endpointslices'),
    ],
  },
  'system:public-info-viewer': {
    rules: [visit('get', '/healthz /livez /readyz /version /version/')],
  },
  'system:service-account-issuer-discovery': {
    rules: [
      visit(
        'get',
        '/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/',
      ),
    ],
  },
}
