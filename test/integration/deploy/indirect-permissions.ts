import type { ObjectKey, Resource } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { certificateSigningRequests } from '@machinist/kube/kinds/certificates'
import { secrets } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { machineConfigs, nodeTrusts } from '../../../src/api/kinds/resources.ts'
import { userDataKey } from '../../../src/fleet/provisioning/user-data-key.ts'
import { managedTokenKey } from '../../../src/fleet/provisioning/token-secret.ts'
import { clientAs } from './scenario.ts'
import type { Stage } from './stage.ts'

/**
 * Some permissions are checked by admission as part of another request, so the audit log never shows them. For each of them: a dry run of
 * the request with which its component needs it.
 */
export function indirectlyNeeded(stage: Stage): ReadonlyMap<string, () => Promise<unknown>> {
  const [controllers, signer] = [clientAs(stage, 'controllers'), clientAs(stage, 'signer')]
  const dryRun = true
  const createsFor = (kind: string) => (): Promise<unknown> => {
    const owner = { apiVersion, kind, name: 'ours', uid: '1', blockOwnerDeletion: true }
    const metadata = { name: 'again', ownerReferences: [owner] }
    return controllers.create(machineConfigs, { metadata, spec: {} }, { dryRun })
  }
  const approves = (name: string) => (): Promise<unknown> => {
    const again = mergePatch({ metadata: { labels: { again: 'yes' } } })
    const options = { subresource: 'approval', dryRun } as const
    return signer.patch(certificateSigningRequests, { name }, again, options)
  }
  const changesOwner = (client: KubeClient, resource: Resource, key: ObjectKey) => () => {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: 'worker-0', uid: '1' }]
    return client.patch(resource, key, mergePatch({ metadata: { ownerReferences } }), { dryRun })
  }
  // blockOwnerDeletion requires permission to update the finalizers of the owner.
  const finalizers =
    'ClusterRole machine-config-controller: update machineconfiguration.openshift.io'
  // Approval requires permission for the signer name. The scenarios create a request for each signer.
  const signers = 'ClusterRole machinist-signer: approve certificates.k8s.io signers'
  return new Map([
    // Changing ownerReferences requires permission to delete the object.
    [
      'ClusterRole machine-config-daemon: delete machinist.dev nodetrusts',
      changesOwner(clientAs(stage, 'daemon worker-0'), nodeTrusts, { name: 'worker-0' }),
    ],
    [
      'Role openshift-machine-api/machine-config-operator: delete secrets',
      changesOwner(clientAs(stage, 'operator'), secrets, userDataKey('worker')),
    ],
    [
      'Role machinist-provisioning/machine-config-operator: delete secrets',
      changesOwner(clientAs(stage, 'operator'), secrets, managedTokenKey('worker')),
    ],
    [`${finalizers} containerruntimeconfigs/finalizers`, createsFor('ContainerRuntimeConfig')],
    [`${finalizers} controllerconfigs/finalizers`, createsFor('ControllerConfig')],
    [`${finalizers} kubeletconfigs/finalizers`, createsFor('KubeletConfig')],
    [`${finalizers} machineconfigpools/finalizers`, createsFor('MachineConfigPool')],
    [`${signers} kubernetes.io/kube-apiserver-client-kubelet`, approves('renew')],
    [`${signers} kubernetes.io/kubelet-serving`, approves('serve')],
  ])
}

const apiVersion = 'machineconfiguration.openshift.io/v1'
