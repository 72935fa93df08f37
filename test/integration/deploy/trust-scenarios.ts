import type { ObjectKey } from '@machinist/core/objects/resource'
import { ignoreNotFound } from '@machinist/kube/failure'
import { certificateSigningRequests } from '@machinist/kube/kinds/certificates'
import { configMaps, secrets, serviceAccounts } from '@machinist/kube/kinds/core'
import { coreEvents } from '@machinist/kube/kinds/events'
import { clusterRoleBindings } from '@machinist/kube/kinds/rbac'
import {
  clientSigner,
  opensslRequest,
  requestObject,
  servingSigner,
} from '@machinist/testing/certificates/kubelet-request'
import { namespaces as fixed } from '../../../src/api/names.ts'
import { trustRotations } from '../../../src/api/kinds/resources.ts'
import { authority } from '../daemon/trust/certificates.ts'
import type { Place } from '../../../src/operator/trust/cluster.fixture.ts'
import * as trustLoop from '../operator/trust/running-loop.ts'
import { rotate } from '../signer/rotation-operations.ts'
import { apiServers, kubelets } from '../signer/rotations.ts'
import type { TrustCluster } from '../trust/cluster.ts'
import { clientAs, untilRequested } from './scenario.ts'
import { namespace } from './identities.ts'
import type { Stage } from './stage.ts'

/** Every input becomes invalid and valid again, twice. */
export async function badInputs({ client }: Stage, cluster: TrustCluster): Promise<void> {
  const good: [input: string, place: Place, content: string][] = [
    ['mcs-ca', 'root', await authority('root-ca')],
    ['trust-bundle', 'user', await authority('corporate')],
    ['cloud-ca', 'cloud', await authority('cloud')],
    ['mcs-ca', 'server', await authority('root-ca')],
  ]
  for (const [input, place, content] of good) {
    for (const _ of [1, 2]) {
      await trustLoop.putInput(client, place, 'garbage')
      await isInput(cluster, `${input}: True NotPEM`)
      await trustLoop.putInput(client, place, content)
      await isInput(cluster, `${input}: False AsExpected`)
    }
  }
}

/** CAs and pull secrets of image registries. */
export async function registries(stage: Stage, cluster: TrustCluster): Promise<void> {
  const { client } = stage
  const merged = { namespace: fixed.configManaged, name: 'merged-trusted-image-registry-ca' }
  for (const name of ['A', 'B']) {
    const pem = await authority(name)
    await trustLoop.putInput(client, 'managed', pem)
    await cluster.time.until(`${name} is published`, async () => {
      const found = await ignoreNotFound(client.get(configMaps, merged))
      return found?.data?.['registry.example..5000'] === pem
    })
  }
  const auths = { 'registry.example': { auth: Buffer.from('puller:secret').toString('base64') } }
  await client.create(secrets, {
    metadata: { namespace, name: 'puller-dockercfg' },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') },
  })
  await client.create(serviceAccounts, {
    metadata: { namespace, name: 'machine-os-puller' },
    imagePullSecrets: [{ name: 'puller-dockercfg' }],
  })
  await untilRequested(
    stage,
    cluster,
    'get secrets openshift-machine-config-operator/puller-dockercfg',
  )
}

/** Both CAs rotate, and the kubelets' CA starts to rotate again: a repeated event increases its count. */
export async function rotations({ client }: Stage, cluster: TrustCluster): Promise<void> {
  const begin = async (name: string, signer: ObjectKey): Promise<void> => {
    await isCompleted(cluster, name)
    // The name of a CA contains the second of its creation.
    await cluster.time.pass(1000)
    await rotate(client, signer)
    await cluster.time.until(`${name} has started`, async () => {
      return (await phase(cluster, name)) !== 'Completed'
    })
  }
  const [forKubelets, forServing] = ['kube-apiserver-to-kubelet', 'kube-apiserver-serving'] as const
  await begin(forKubelets, kubelets.signer)
  await begin(forServing, apiServers.signer)
  await isCompleted(cluster, forServing)
  await begin(forKubelets, kubelets.signer)
}

/** A kubelet requests both of its certificates. */
export async function requests(stage: Stage, cluster: TrustCluster): Promise<void> {
  const { client } = stage
  await client.create(clusterRoleBindings, {
    metadata: { name: 'kubelets-renew' },
    roleRef: {
      apiGroup: 'rbac.authorization.k8s.io',
      kind: 'ClusterRole',
      name: 'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient',
    },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:nodes' }],
  })
  const node = 'worker-0'
  const kubelet = clientAs(stage, `kubelet ${node}`)
  const subject = `/O=system:nodes/CN=system:node:${node}`
  const request = async (name: string, signer: string, pem: string): Promise<void> => {
    const { spec } = requestObject(pem, signer)
    await kubelet.create(certificateSigningRequests, { metadata: { name }, spec })
  }
  const isApproved = (name: string): Promise<void> =>
    cluster.time.until(`${name} is approved`, async () => {
      const { status } = await client.get(certificateSigningRequests, { name })
      return status?.conditions?.[0]?.type === 'Approved'
    })
  await request('renew', clientSigner, opensslRequest(subject))
  await isApproved('renew')
  await request('serve', servingSigner, opensslRequest(subject, `DNS:${node}`))
  await isApproved('serve')
  await request('odd', servingSigner, opensslRequest(subject, 'DNS:another-node'))
  await cluster.time.until('one needs manual approval', async () => {
    const { items } = await client.list(coreEvents, { namespace: 'default' })
    return items.some(({ involvedObject }) => involvedObject.name === 'odd')
  })
}

const isInput = (cluster: TrustCluster, condition: string): Promise<void> =>
  cluster.time.until(condition, async () =>
    trustLoop.inputLines(await cluster.controllerConfig()).includes(condition),
  )

async function phase({ client }: TrustCluster, name: string): Promise<string | undefined> {
  const { status } = await client.get(trustRotations, { name })
  return status?.phase
}

const isCompleted = (cluster: TrustCluster, name: string): Promise<void> =>
  cluster.time.until(
    `${name} is completed`,
    async () => (await phase(cluster, name)) === 'Completed',
  )
