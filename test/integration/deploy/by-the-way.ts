import { machineConfigs, nodeTrusts } from '../../../src/api/resources.ts'
import type { ObjectKey, Resource } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import { certificateSigningRequests } from '@machinist/kube/kinds/certificates'
import { secrets } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { userDataKey } from '../../../src/operator/pools/user-data.ts'
import { clientAs } from './deed.ts'
import type { Stage } from './stage.ts'

/**
 * Some rights are asked for with another request, and never by one of their own. By each such right: what its component does
 * with it all day, once more, and without a trace.
 */
export function askedByTheWay(stage: Stage): ReadonlyMap<string, () => Promise<unknown>> {
  const [controllers, signer] = [clientAs(stage, 'controllers'), clientAs(stage, 'signer')]
  const dryRun = true
  const makesFor = (kind: string) => (): Promise<unknown> => {
    const owner = { apiVersion, kind, name: 'ours', uid: '1', blockOwnerDeletion: true }
    const metadata = { name: 'again', ownerReferences: [owner] }
    return controllers.create(machineConfigs, { metadata, spec: {} }, { dryRun })
  }
  const approves = (name: string) => (): Promise<unknown> => {
    const again = mergePatch({ metadata: { labels: { again: 'yes' } } })
    const options = { subresource: 'approval', dryRun } as const
    return signer.patch(certificateSigningRequests, { name }, again, options)
  }
  const givesAway = (client: KubeClient, resource: Resource, key: ObjectKey) => () => {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: 'worker-0', uid: '1' }]
    return client.patch(resource, key, mergePatch({ metadata: { ownerReferences } }), { dryRun })
  }
  // Who says that something holds up the end of its owner has to have the right to do that to the owner.
  const finalizers =
    'ClusterRole machine-config-controller: update machineconfiguration.openshift.io'
  // Who approves a request has to have the right to its signer. A kubelet has asked for both in the whole day.
  const signers = 'ClusterRole machinist-signer: approve certificates.k8s.io signers'
  return new Map([
    // Who gives something another owner has to have the right to delete it.
    [
      'ClusterRole machine-config-daemon: delete machinist.dev nodetrusts',
      givesAway(clientAs(stage, 'daemon worker-0'), nodeTrusts, { name: 'worker-0' }),
    ],
    [
      'Role openshift-machine-api/machine-config-operator: delete secrets',
      givesAway(clientAs(stage, 'operator'), secrets, userDataKey('worker')),
    ],
    [`${finalizers} containerruntimeconfigs/finalizers`, makesFor('ContainerRuntimeConfig')],
    [`${finalizers} controllerconfigs/finalizers`, makesFor('ControllerConfig')],
    [`${finalizers} kubeletconfigs/finalizers`, makesFor('KubeletConfig')],
    [`${finalizers} machineconfigpools/finalizers`, makesFor('MachineConfigPool')],
    [`${signers} kubernetes.io/kube-apiserver-client-kubelet`, approves('renew')],
    [`${signers} kubernetes.io/kubelet-serving`, approves('serve')],
  ])
}

const apiVersion = 'machineconfiguration.openshift.io/v1'
