import { builtInColumns } from '../../table/built-in/built-in-columns.ts'
import type { KindRules } from '../kind-rules.ts'
import { policyBindingRules, policyRules } from '../rules/admission-policy.ts'
import { certificateRequestRules } from '../rules/certificate-request.ts'
import { configMapRules } from '../rules/config-map.ts'
import { definitionRules } from '../rules/custom-resource-definition.ts'
import { eventRules, newEventRules } from '../rules/event.ts'
import { leaseRules } from '../rules/lease.ts'
import { namespaceRules } from '../rules/namespace.ts'
import { nodeRules } from '../rules/node.ts'
import { podRules } from '../rules/pods/pod.ts'
import { bindingRules, roleRules } from '../rules/rbac.ts'
import { secretRules } from '../rules/secret.ts'
import { serviceRules } from '../rules/services/service.ts'
import {
  budgetRules,
  daemonSetRules,
  deploymentRules,
  replicaSetRules,
} from '../rules/workloads/workload.ts'
import { fieldsOf } from '../selectable-fields.ts'
import type { ServedKind, ServedSubresource, Verb } from '../served-kind.ts'

const everyVerb: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
]
const onlyCreate: readonly Verb[] = ['create']

const status: ServedSubresource = { name: 'status', verbs: ['get', 'patch', 'update'] }
const scale: ServedSubresource = {
  name: 'scale',
  verbs: ['get', 'patch', 'update'],
  responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
}
const eviction: ServedSubresource = {
  name: 'eviction',
  verbs: onlyCreate,
  responseKind: { group: 'policy', version: 'v1', kind: 'Eviction' },
}
const binding: ServedSubresource = {
  name: 'binding',
  verbs: onlyCreate,
  responseKind: { group: '', version: 'v1', kind: 'Binding' },
}
const token: ServedSubresource = {
  name: 'token',
  verbs: onlyCreate,
  responseKind: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' },
}
const approval: ServedSubresource = { name: 'approval', verbs: ['get', 'patch', 'update'] }
const finalize: ServedSubresource = { name: 'finalize', verbs: ['update'] }

interface Row {
  readonly kind: string
  readonly plural: string
  readonly short?: readonly string[]
  readonly categories?: readonly string[]
  readonly clusterWide?: boolean
  readonly verbs?: readonly Verb[]
  readonly subresources?: readonly ServedSubresource[]
  readonly fields?: readonly string[]
  readonly rules?: KindRules
}

const extensions = ['api-extensions']
const workload = { categories: ['all'], subresources: [scale, status] }
const involved = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath']
const eventFields = [
  ...involved.map((field) => `involvedObject.${field}`),
  'reason',
  'reportingComponent',
  'source',
  'type',
]

/** One entry per group version, in the order of discovery. */
const groups: readonly (readonly [group: string, version: string, rows: readonly Row[]])[] = [
  [
    '',
    'v1',
    [
      { kind: 'ConfigMap', plural: 'configmaps', short: ['cm'], rules: configMapRules },
      { kind: 'Event', plural: 'events', short: ['ev'], fields: eventFields, rules: eventRules },
      {
        kind: 'Namespace',
        plural: 'namespaces',
        short: ['ns'],
        clusterWide: true,
        verbs: everyVerb.filter((verb) => verb !== 'deletecollection'),
        subresources: [finalize, status],
        fields: ['status.phase'],
        rules: namespaceRules,
      },
      {
        kind: 'Node',
        plural: 'nodes',
        short: ['no'],
        clusterWide: true,
        subresources: [status],
        fields: ['spec.unschedulable'],
        rules: nodeRules,
      },
      {
        kind: 'Pod',
        plural: 'pods',
        short: ['po'],
        categories: ['all'],
        subresources: [binding, eviction, status],
        fields: [
          'spec.nodeName',
          'spec.restartPolicy',
          'spec.schedulerName',
          'spec.serviceAccountName',
          'spec.hostNetwork',
          'status.phase',
          'status.podIP',
          'status.nominatedNodeName',
        ],
        rules: podRules,
      },
      { kind: 'Secret', plural: 'secrets', fields: ['type'], rules: secretRules },
      {
        kind: 'ServiceAccount',
        plural: 'serviceaccounts',
        short: ['sa'],
        subresources: [token],
        rules: { returnsDeleted: true },
      },
      {
        kind: 'Service',
        plural: 'services',
        short: ['svc'],
        categories: ['all'],
        subresources: [status],
        fields: ['spec.clusterIP', 'spec.type'],
        rules: serviceRules,
      },
    ],
  ],
  [
    'apps',
    'v1',
    [
      {
        kind: 'DaemonSet',
        plural: 'daemonsets',
        short: ['ds'],
        ...workload,
        subresources: [status],
        rules: daemonSetRules,
      },
      {
        kind: 'Deployment',
        plural: 'deployments',
        short: ['deploy'],
        ...workload,
        rules: deploymentRules,
      },
      {
        kind: 'ReplicaSet',
        plural: 'replicasets',
        short: ['rs'],
        ...workload,
        rules: replicaSetRules,
      },
    ],
  ],
  [
    'events.k8s.io',
    'v1',
    [
      {
        kind: 'Event',
        plural: 'events',
        short: ['ev'],
        fields: [
          ...involved.map((field) => `regarding.${field}`),
          'reason',
          'reportingController',
          'type',
        ],
        rules: newEventRules,
      },
    ],
  ],
  [
    'authentication.k8s.io',
    'v1',
    [
      {
        kind: 'SelfSubjectReview',
        plural: 'selfsubjectreviews',
        clusterWide: true,
        verbs: onlyCreate,
      },
      { kind: 'TokenReview', plural: 'tokenreviews', clusterWide: true, verbs: onlyCreate },
    ],
  ],
  [
    'authorization.k8s.io',
    'v1',
    [
      {
        kind: 'LocalSubjectAccessReview',
        plural: 'localsubjectaccessreviews',
        verbs: onlyCreate,
      },
      {
        kind: 'SelfSubjectAccessReview',
        plural: 'selfsubjectaccessreviews',
        clusterWide: true,
        verbs: onlyCreate,
      },
      {
        kind: 'SelfSubjectRulesReview',
        plural: 'selfsubjectrulesreviews',
        clusterWide: true,
        verbs: onlyCreate,
      },
      {
        kind: 'SubjectAccessReview',
        plural: 'subjectaccessreviews',
        clusterWide: true,
        verbs: onlyCreate,
      },
    ],
  ],
  [
    'certificates.k8s.io',
    'v1',
    [
      {
        kind: 'CertificateSigningRequest',
        plural: 'certificatesigningrequests',
        short: ['csr'],
        clusterWide: true,
        subresources: [approval, status],
        fields: ['spec.signerName'],
        rules: certificateRequestRules,
      },
    ],
  ],
  [
    'policy',
    'v1',
    [
      {
        kind: 'PodDisruptionBudget',
        plural: 'poddisruptionbudgets',
        short: ['pdb'],
        subresources: [status],
        rules: budgetRules,
      },
    ],
  ],
  [
    'rbac.authorization.k8s.io',
    'v1',
    [
      {
        kind: 'ClusterRoleBinding',
        plural: 'clusterrolebindings',
        clusterWide: true,
        rules: bindingRules,
      },
      { kind: 'ClusterRole', plural: 'clusterroles', clusterWide: true, rules: roleRules },
      { kind: 'RoleBinding', plural: 'rolebindings', rules: bindingRules },
      { kind: 'Role', plural: 'roles', rules: roleRules },
    ],
  ],
  [
    'admissionregistration.k8s.io',
    'v1',
    [
      {
        kind: 'ValidatingAdmissionPolicy',
        plural: 'validatingadmissionpolicies',
        categories: extensions,
        clusterWide: true,
        subresources: [status],
        rules: policyRules,
      },
      {
        kind: 'ValidatingAdmissionPolicyBinding',
        plural: 'validatingadmissionpolicybindings',
        categories: extensions,
        clusterWide: true,
        rules: policyBindingRules,
      },
    ],
  ],
  [
    'apiextensions.k8s.io',
    'v1',
    [
      {
        kind: 'CustomResourceDefinition',
        plural: 'customresourcedefinitions',
        short: ['crd', 'crds'],
        categories: extensions,
        clusterWide: true,
        subresources: [status],
        rules: definitionRules,
      },
    ],
  ],
  ['coordination.k8s.io', 'v1', [{ kind: 'Lease', plural: 'leases', rules: leaseRules }]],
]

export const builtInKinds: readonly ServedKind[] = groups.flatMap(([group, version, rows]) =>
  rows.map((row) => served(group, version, row)),
)

function served(group: string, version: string, row: Row): ServedKind {
  return {
    group,
    version,
    kind: row.kind,
    listKind: `${row.kind}List`,
    plural: row.plural,
    singular: row.kind.toLowerCase(),
    shortNames: row.short ?? [],
    categories: row.categories ?? [],
    namespaced: row.clusterWide !== true,
    verbs: row.verbs ?? everyVerb,
    subresources: row.subresources ?? [],
    columns: builtInColumns(group, row.kind),
    builtIn: true,
    selectableFields: fieldsOf(row.fields ?? []),
    rules: row.rules,
  }
}
