import type { ApiRequest } from '@machinist/kube/transport/transport'
import { namespace } from './identities.ts'

export const group = '/apis/machineconfiguration.openshift.io/v1'
const own = '/apis/machinist.dev/v1alpha1'
const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`
const core = '/api/v1'

export type Attempt = Pick<ApiRequest, 'method' | 'path' | 'query' | 'body'>

export const change = (
  path: string,
  body: object = { metadata: { labels: { by: 'worker-0' } } },
): Attempt => ({
  method: 'PATCH',
  path,
  body,
})
const read = (path: string): Attempt => ({ method: 'GET', path })
export const remove = (path: string): Attempt => ({ method: 'DELETE', path })
export const make = (path: string, body: object): Attempt => ({ method: 'POST', path, body })

const metadata = { name: 'by-worker-0' }
const config = {
  apiVersion: 'machineconfiguration.openshift.io/v1',
  kind: 'MachineConfig',
  metadata,
  spec: {},
}
const machineConfigNode = (name: string): object => ({
  apiVersion: 'machineconfiguration.openshift.io/v1',
  kind: 'MachineConfigNode',
  metadata: { name },
  spec: { node: { name }, pool: { name: 'worker' }, configVersion: { desired: 'x' } },
})
const nodeTrust = (name: string): object => ({
  apiVersion: 'machinist.dev/v1alpha1',
  kind: 'NodeTrust',
  metadata: { name },
})
const lease = (name: string, holderIdentity: string): object => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name, namespace },
  spec: { holderIdentity, leaseDurationSeconds: 60 },
})

/** Requests of an attacker with the credentials of worker-0's daemon, and the reason of each rejection. */
export const attempts: Readonly<Record<string, readonly [attempt: Attempt, reason: RegExp]>> = {
  'report the progress of another node': [
    change(`${group}/machineconfignodes/worker-1`),
    /'mcn-guards' denied request: node worker-0 may not write the MachineConfigNode of worker-1$/,
  ],
  'create the MachineConfigNode of another node': [
    make(`${group}/machineconfignodes`, machineConfigNode('elsewhere')),
    /'mcn-guards' denied request: node worker-0 may not write the MachineConfigNode of elsewhere$/,
  ],
  'report the trust of another node': [
    change(`${own}/nodetrusts/worker-1/status`, { status: { items: [] } }),
    /'machinist-node-trust-guards' denied request: node worker-0 may not write the NodeTrust of worker-1$/,
  ],
  'create the NodeTrust of another node': [
    make(`${own}/nodetrusts`, nodeTrust('elsewhere')),
    /'machinist-node-trust-guards' denied request: node worker-0 may not write the NodeTrust of elsewhere$/,
  ],
  "change the metadata of another node's NodeTrust": [
    change(`${own}/nodetrusts/worker-1`),
    /'machinist-node-trust-guards' denied request: node worker-0 may not write the NodeTrust of worker-1$/,
  ],
  'delete the NodeTrust of another node': [
    remove(`${own}/nodetrusts/worker-1`),
    /'machinist-node-trust-guards' denied request: node worker-0 may not write the NodeTrust of worker-1$/,
  ],
  'delete all NodeTrusts': [
    remove(`${own}/nodetrusts`),
    /cannot deletecollection resource "nodetrusts"/,
  ],
  'delete a MachineConfigNode': [
    remove(`${group}/machineconfignodes/worker-1`),
    /cannot delete resource "machineconfignodes"/,
  ],
  'write another Node': [change(`${core}/nodes/worker-1`), /cannot patch resource "nodes"/],
  "write its Node without the kubelet's credential": [
    change(`${core}/nodes/worker-0`),
    /cannot patch resource "nodes"/,
  ],
  'delete a Node': [remove(`${core}/nodes/worker-1`), /cannot delete resource "nodes"/],
  'read all Secrets': [read(`${core}/secrets`), /cannot list resource "secrets"/],
  'read the pull secret': [
    read(`${core}/namespaces/openshift-config/secrets/pull-secret`),
    /cannot get resource "secrets"/,
  ],
  'read the key of a CA': [
    read(
      `${core}/namespaces/openshift-kube-apiserver-operator/secrets/kube-apiserver-to-kubelet-signer`,
    ),
    /cannot get resource "secrets"/,
  ],
  'create a MachineConfig': [
    make(`${group}/machineconfigs`, config),
    /cannot create resource "machineconfigs"/,
  ],
  'change a MachineConfig': [
    change(`${group}/machineconfigs/00-worker`),
    /cannot patch resource "machineconfigs"/,
  ],
  'delete a MachineConfig': [
    remove(`${group}/machineconfigs/00-worker`),
    /cannot delete resource "machineconfigs"/,
  ],
  'list MachineConfigs': [read(`${group}/machineconfigs`), /cannot list resource "machineconfigs"/],
  'unpause a pool': [
    change(`${group}/machineconfigpools/worker`, { spec: { paused: false } }),
    /cannot patch resource "machineconfigpools"/,
  ],
  'change the ControllerConfig': [
    change(`${group}/controllerconfigs/machine-config-controller`),
    /cannot patch resource "controllerconfigs"/,
  ],
  'change the CA bundle for kubelets': [
    change(`${core}/namespaces/${namespace}/configmaps/kubeconfig-data`),
    /cannot patch resource "configmaps"/,
  ],
  'exempt a node from a rotation': [
    change(`${own}/trustrotations/kube-apiserver-to-kubelet`),
    /cannot patch resource "trustrotations"/,
  ],
  'request a token of the signer': [
    make(`${core}/namespaces/${namespace}/serviceaccounts/machinist-signer/token`, { spec: {} }),
    /cannot create resource "serviceaccounts\/token"/,
  ],
  'approve a certificate request': [
    change('/apis/certificates.k8s.io/v1/certificatesigningrequests/by-worker-0/approval'),
    /cannot patch resource "certificatesigningrequests\/approval"/,
  ],
  'run a pod': [
    make(`${core}/namespaces/${namespace}/pods`, {
      metadata,
      spec: { containers: [{ name: 'a', image: 'b' }] },
    }),
    /cannot create resource "pods"/,
  ],
  'bind a role to itself': [
    make('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata,
      roleRef: {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: 'ClusterRole',
        name: 'cluster-admin',
      },
      subjects: [],
    }),
    /cannot create resource "clusterrolebindings"/,
  ],
  'acquire the Lease of the controllers': [
    {
      method: 'PUT',
      path: `${leases}/machine-config-controller`,
      body: lease('machine-config-controller', 'worker-0'),
    },
    /cannot update resource "leases"/,
  ],
  'create a Lease': [
    make(leases, lease('machine-config-next', 'worker-0')),
    /cannot create resource "leases"/,
  ],
  'grant itself the turn to restart its kubelet': [
    change(`${own}/nodetrusts/worker-0`, {
      spec: { kubeletRestart: { grantedAt: '2026-01-01T00:00:00Z' } },
    }),
    /'machinist-node-trust-guards' denied request: spec\.kubeletRestart is set by the operator; a node requests its turn in status\.kubeletRestart$/,
  ],
  'return the turn of another node': [
    change(`${own}/nodetrusts/worker-1/status`, { status: { kubeletRestart: null } }),
    /'machinist-node-trust-guards' denied request: node worker-0 may not write the NodeTrust of worker-1$/,
  ],
}
