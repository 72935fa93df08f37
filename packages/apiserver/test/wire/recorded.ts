import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A request body of kubectl, and the object that it prints for the same command with --dry-run=client, if supported.
 */
export interface RecordedRequest {
  readonly command: string
  readonly request: string
  readonly protobuf: string
  readonly json: unknown
}

export interface RecordedProtobuf {
  readonly objects: readonly { readonly protobuf: string; readonly json: Record<string, unknown> }[]
  readonly requests: readonly RecordedRequest[]
}

export interface RecordedTable {
  readonly path: string
  readonly apiVersion: string
  readonly kind: string
  /** The time of the answer, for ages. */
  readonly now: number
  readonly items: readonly Record<string, unknown>[]
  readonly table: {
    columnDefinitions: { name: string; description?: string }[]
    rows: { cells: unknown[]; conditions?: unknown; object: unknown }[]
  }
}

export const recordedProtobuf = (): RecordedProtobuf =>
  recorded('recorded-protobuf.json') as RecordedProtobuf

export const recordedTables = (): readonly RecordedTable[] =>
  recorded('recorded-tables.json') as RecordedTable[]

function recorded(name: string): unknown {
  return JSON.parse(readFileSync(join(import.meta.dirname, name), 'utf8'))
}

export const plurals: Readonly<Record<string, string>> = {
  Namespace: 'namespaces',
  ConfigMap: 'configmaps',
  Secret: 'secrets',
  ServiceAccount: 'serviceaccounts',
  Service: 'services',
  Node: 'nodes',
  Pod: 'pods',
  Event: 'events',
  Lease: 'leases',
  PodDisruptionBudget: 'poddisruptionbudgets',
  CertificateSigningRequest: 'certificatesigningrequests',
  Deployment: 'deployments',
  DaemonSet: 'daemonsets',
  Role: 'roles',
  ClusterRole: 'clusterroles',
  RoleBinding: 'rolebindings',
  ClusterRoleBinding: 'clusterrolebindings',
  CustomResourceDefinition: 'customresourcedefinitions',
  Gadget: 'gadgets',
}

/** Recorded tables. */
export const tables: readonly string[] = [
  '/api/v1/namespaces',
  '/api/v1/namespaces/wire/configmaps',
  '/api/v1/namespaces/wire/secrets',
  '/api/v1/namespaces/wire/serviceaccounts',
  '/api/v1/namespaces/wire/services',
  '/api/v1/nodes',
  '/api/v1/namespaces/wire/pods',
  '/api/v1/namespaces/wire/events',
  '/apis/events.k8s.io/v1/namespaces/wire/events',
  '/apis/coordination.k8s.io/v1/namespaces/wire/leases',
  '/apis/policy/v1/namespaces/wire/poddisruptionbudgets',
  '/apis/certificates.k8s.io/v1/certificatesigningrequests',
  '/apis/apps/v1/namespaces/wire/deployments',
  '/apis/apps/v1/namespaces/wire/daemonsets',
  '/apis/rbac.authorization.k8s.io/v1/namespaces/wire/roles',
  '/apis/rbac.authorization.k8s.io/v1/namespaces/wire/rolebindings',
  '/apis/rbac.authorization.k8s.io/v1/clusterroles/rich',
  '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/rich',
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  '/apis/wire.example.com/v1/namespaces/wire/gadgets',
]

/** kubectl commands; each sends at least one protobuf body. */
export const commands: readonly string[] = [
  'create namespace made',
  'create configmap made --from-literal=a=b --from-literal=empty=',
  'create secret generic made --from-literal=password=hunter2',
  'create secret docker-registry made-pull --docker-username=u --docker-password=p',
  'create serviceaccount made',
  'create token rich --audience=somebody --duration=20m',
  'create role made --verb=get,list --resource=pods,deployments.apps',
  'create clusterrole made --verb=get --non-resource-url=/healthz',
  'create rolebinding made --clusterrole=view --user=ann --serviceaccount=wire:rich',
  'create clusterrolebinding made --clusterrole=view --group=crew',
  'create deployment made --image=example.com/a --replicas=2 --port=80',
  'create poddisruptionbudget made --selector=app=rich --min-available=50%',
  'create service clusterip made --tcp=80:web',
  'auth can-i get pods --subresource=log',
  'auth can-i get /healthz',
  'auth can-i --list',
  'auth whoami',
  'certificate approve rich',
  'debug node/rich --image=example.com/debug --profile=general',
  'autoscale deployment rich --max=3',
]
