import type { Attempt } from './attempts.ts'
import { change, group, make, remove } from './attempts.ts'
import { namespace } from './identities.ts'

const core = '/api/v1'
const read = (path: string): Attempt => ({ method: 'GET', path })
const tokens = `${core}/namespaces/machinist-provisioning/secrets`
const accounts = `${core}/namespaces/${namespace}/serviceaccounts`
const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests'

type Attempts = Readonly<Record<string, readonly [attempt: Attempt, reason: RegExp]>>

/** Requests of an attacker with the credentials of a machine config server. */
export const serverAttempts: Attempts = {
  'read all Secrets': [read(`${core}/secrets`), /cannot list resource "secrets"/],
  'read the key of its CA': [
    read(`${core}/namespaces/${namespace}/secrets/machine-config-server-ca`),
    /cannot get resource "secrets"/,
  ],
  'read its own key through the API': [
    read(`${core}/namespaces/${namespace}/secrets/machine-config-server-tls`),
    /cannot get resource "secrets"/,
  ],
  'read the pull secret': [
    read(`${core}/namespaces/openshift-config/secrets/pull-secret`),
    /cannot get resource "secrets"/,
  ],
  'create a provisioning token': [
    make(tokens, { metadata: { name: 'mine' }, type: 'machinist.dev/provisioning-token' }),
    /cannot create resource "secrets"/,
  ],
  'revoke a provisioning token': [remove(`${tokens}/guarded`), /cannot delete resource "secrets"/],
  'request a token of the operator': [
    make(`${accounts}/machine-config-operator/token`, { spec: {} }),
    /cannot create resource "serviceaccounts\/token"/,
  ],
  'request a token of itself': [
    make(`${accounts}/machine-config-server/token`, { spec: {} }),
    /cannot create resource "serviceaccounts\/token"/,
  ],
  'list MachineConfigs': [read(`${group}/machineconfigs`), /cannot list resource "machineconfigs"/],
  'change a MachineConfig': [
    change(`${group}/machineconfigs/00-worker`),
    /cannot patch resource "machineconfigs"/,
  ],
  'change a pool': [
    change(`${group}/machineconfigpools/worker`),
    /cannot patch resource "machineconfigpools"/,
  ],
  'change the ControllerConfig': [
    change(`${group}/controllerconfigs/machine-config-controller`),
    /cannot patch resource "controllerconfigs"/,
  ],
  'change the CAs of the API server': [
    change(`${core}/namespaces/${namespace}/configmaps/kubeconfig-data`),
    /cannot patch resource "configmaps"/,
  ],
  'change the disruption policy': [
    change('/apis/operator.openshift.io/v1/machineconfigurations/cluster/status'),
    /cannot patch resource "machineconfigurations\/status"/,
  ],
  'read Nodes': [read(`${core}/nodes`), /cannot list resource "nodes"/],
  'request the certificate of a kubelet': [
    make(requests, {}),
    /cannot create resource "certificatesigningrequests"/,
  ],
  'run a pod': [make(`${core}/namespaces/${namespace}/pods`, {}), /cannot create resource "pods"/],
}

/** Requests of an attacker with the kubeconfig of a new machine. */
export const bootstrapperAttempts: Attempts = {
  'read all Secrets': [read(`${core}/secrets`), /cannot list resource "secrets"/],
  'read provisioning tokens': [read(tokens), /cannot list resource "secrets"/],
  'read Nodes': [read(`${core}/nodes`), /cannot list resource "nodes"/],
  'write a Node': [change(`${core}/nodes/worker-0`), /cannot patch resource "nodes"/],
  'read MachineConfigs': [read(`${group}/machineconfigs`), /cannot list resource "machineconfigs"/],
  'request another token': [
    make(`${accounts}/node-bootstrapper/token`, { spec: {} }),
    /cannot create resource "serviceaccounts\/token"/,
  ],
  'approve a certificate request': [
    change(`${requests}/guarded/approval`),
    /cannot patch resource "certificatesigningrequests\/approval"/,
  ],
  'change a certificate request': [
    change(`${requests}/guarded`),
    /cannot patch resource "certificatesigningrequests"/,
  ],
  'delete a certificate request': [
    remove(`${requests}/guarded`),
    /cannot delete resource "certificatesigningrequests"/,
  ],
}
