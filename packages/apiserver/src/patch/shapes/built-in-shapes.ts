import type { PatchStrategy, Shape } from './shape.ts'
import { plain } from './shape.ts'

/*
 * List types of the built-in kinds as in Kubernetes' OpenAPI document v1.32: x-kubernetes-list-type, list-map-keys,
 * map-type, patch-strategy and patch-merge-key. Fields that are not listed have no rule.
 */

const atomic: Shape = { atomic: true }
const map: Shape = { entries: plain }
const merged: PatchStrategy = { strategy: 'merge' }
const set: Shape = { list: 'set' }

/** A list with these keys for apply; the first one is the merge key of strategic patches. */
function by(key: string, items: Shape = plain, ...more: readonly string[]): Shape {
  return { ...byKeyWhole([key, ...more], items), patch: { strategy: 'merge', mergeKey: key } }
}

/** The same, but strategic patches replace the list. */
function byKeyWhole(keys: readonly string[], items: Shape = plain): Shape {
  const keyDefaults = Object.fromEntries(keys.map((key) => [key, defaultOfKey(key)]))
  return { list: 'map', keys, items, keyDefaults }
}

function defaultOfKey(key: string): unknown {
  if (key === 'protocol') return 'TCP'
  return key === 'containerPort' || key === 'port' ? 0 : ''
}

const of = (fields: Readonly<Record<string, Shape>>): Shape => ({ fields })

const objectReference: Shape = atomic
const selector: Shape = { atomic: true, fields: { matchLabels: map } }
const conditions = of({ conditions: by('type') })
const conditionsReplaced = of({ conditions: byKeyWhole(['type']) })

const metadata = of({
  annotations: map,
  labels: map,
  finalizers: { ...set, patch: merged },
  ownerReferences: by('uid', atomic),
})

const resources = of({ limits: map, requests: map, claims: byKeyWhole(['name']) })
const valueFrom = of({
  configMapKeyRef: atomic,
  fieldRef: atomic,
  resourceFieldRef: atomic,
  secretKeyRef: atomic,
})
const container = of({
  env: by('name', of({ valueFrom })),
  ports: by('containerPort', plain, 'protocol'),
  resources,
  volumeDevices: by('devicePath'),
  volumeMounts: by('mountPath'),
})
const withSecret = of({ secretRef: objectReference })
const volume = of({
  cephfs: withSecret,
  cinder: withSecret,
  csi: of({ nodePublishSecretRef: objectReference, volumeAttributes: map }),
  ephemeral: of({
    volumeClaimTemplate: of({
      metadata,
      spec: of({ dataSource: atomic, selector, resources: of({ limits: map, requests: map }) }),
    }),
  }),
  flexVolume: of({ secretRef: objectReference, options: map }),
  iscsi: withSecret,
  rbd: withSecret,
  scaleIO: withSecret,
  storageos: withSecret,
})
const podSpec = of({
  affinity: of({
    nodeAffinity: of({ requiredDuringSchedulingIgnoredDuringExecution: atomic }),
  }),
  containers: by('name', container),
  ephemeralContainers: by('name', container),
  hostAliases: by('ip'),
  imagePullSecrets: by('name', atomic),
  initContainers: by('name', container),
  nodeSelector: { ...map, atomic: true },
  overhead: map,
  resourceClaims: by('name'),
  resources,
  schedulingGates: by('name'),
  topologySpreadConstraints: by(
    'topologyKey',
    of({ labelSelector: selector }),
    'whenUnsatisfiable',
  ),
  volumes: by('name', volume),
})
const podStatus = of({
  conditions: by('type'),
  // Atomic for apply, merged by strategic patches.
  hostIPs: { patch: { strategy: 'merge', mergeKey: 'ip' } },
  podIPs: by('ip'),
  resourceClaimStatuses: by('name'),
})
const template = of({ metadata, spec: podSpec })
const workload = of({
  metadata,
  spec: of({ selector, template }),
  status: conditions,
})
const matchResources = atomic
const plainKind = of({ metadata })

const kinds: Readonly<Record<string, Shape>> = {
  '/ConfigMap': of({ metadata, data: map, binaryData: map }),
  '/Event': of({ metadata, involvedObject: objectReference, related: objectReference }),
  '/Namespace': of({ metadata, status: conditions }),
  '/Node': of({
    metadata,
    spec: of({ podCIDRs: { ...set, patch: merged } }),
    status: of({
      addresses: by('type'),
      allocatable: map,
      capacity: map,
      conditions: by('type'),
    }),
  }),
  '/Pod': of({ metadata, spec: podSpec, status: podStatus }),
  '/Secret': of({ metadata, data: map, stringData: map }),
  '/Service': of({
    metadata,
    spec: of({
      ports: by('port', plain, 'protocol'),
      selector: { ...map, atomic: true },
    }),
    status: conditions,
  }),
  '/ServiceAccount': of({ metadata, secrets: by('name', objectReference) }),
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': of({
    metadata,
    spec: of({
      matchConditions: by('name'),
      matchConstraints: matchResources,
      paramKind: atomic,
      variables: by('name', atomic),
    }),
    status: conditionsReplaced,
  }),
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding': of({
    metadata,
    spec: of({ matchResources, paramRef: atomic, validationActions: set }),
  }),
  'apiextensions.k8s.io/CustomResourceDefinition': of({ metadata, status: conditionsReplaced }),
  'apps/DaemonSet': workload,
  'apps/Deployment': workload,
  'certificates.k8s.io/CertificateSigningRequest': of({
    metadata,
    spec: of({ extra: map }),
    status: conditionsReplaced,
  }),
  'coordination.k8s.io/Lease': plainKind,
  'events.k8s.io/Event': of({ metadata, regarding: objectReference, related: objectReference }),
  'policy/PodDisruptionBudget': of({
    metadata,
    spec: of({ selector: { ...selector, patch: { strategy: 'replace' } } }),
    status: of({ conditions: by('type'), disruptedPods: map }),
  }),
  'rbac.authorization.k8s.io/ClusterRole': plainKind,
  'rbac.authorization.k8s.io/ClusterRoleBinding': of({ metadata, roleRef: atomic }),
  'rbac.authorization.k8s.io/Role': plainKind,
  'rbac.authorization.k8s.io/RoleBinding': of({ metadata, roleRef: atomic }),
}

export const metadataShape: Shape = metadata

/** A kind that is not in the table has only metadata rules. */
export function builtInShape(group: string, kind: string): Shape {
  const name = `${group}/${kind}`
  return Object.hasOwn(kinds, name) ? kinds[name]! : plainKind
}
