import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseYamlDocuments } from '@machinist/core/encoding/yaml'
import type { KubeClient } from '@machinist/kube/client/client'
import { configMaps, secrets } from '@machinist/kube/kinds/core'
import type { TrustRotation } from '../../../src/api/kinds/trust-rotation.ts'
import { trustRotations } from '../../../src/api/kinds/resources.ts'
import { secrets as fixedSecrets } from '../../../src/api/names.ts'
import { authority, authorityPair } from '../daemon/trust/certificates.ts'
import { TrustCluster } from '../trust/cluster.ts'
import { transportAs } from './identities.ts'
import type { Stage } from './stage.ts'

/** A whole cluster in which every component uses its own credential from deploy/ only. */
export async function startWorkers(stage: Stage): Promise<TrustCluster> {
  const api = await authorityPair('loadbalancer-serving-signer@1')
  await shippedRotations(stage.client)
  await configMap(
    stage.client,
    'initial-kube-apiserver-server-ca',
    await authority('first-kubelet-ca'),
  )
  await configMap(stage.client, 'initial-serving-ca', api.certificate)
  // From an older release: without a label, so the operator must get it by name.
  const userData = { namespace: 'openshift-machine-api', name: 'worker-user-data-managed' }
  await stage.client.create(secrets, { metadata: userData, data: {} })
  // From an installer: the operator leaves it alone until a user hands it over.
  const type = 'kubernetes.io/tls'
  const data = { 'tls.crt': '', 'tls.key': '' }
  await stage.client.create(secrets, { metadata: { ...fixedSecrets.serverTLS }, type, data })
  const as = (who: string) => transportAs(stage, who)
  // The server outlives the cluster.
  const reached = { transport: stage.transport, as, stop: async () => {} }
  return TrustCluster.start(reached, { authority: api, delivery: 'direct' })
}

/** The rotations of examples/, under the names that the test cluster uses. */
async function shippedRotations(client: KubeClient): Promise<void> {
  const file = join(import.meta.dirname, '../../../examples/trust-rotation.yaml')
  const [kubelets, serving] = parseYamlDocuments(
    readFileSync(file, 'utf8'),
    file,
  ) as TrustRotation[]
  for (const [name, rotation] of [
    ['kube-apiserver-to-kubelet', kubelets],
    ['kube-apiserver-serving', serving],
  ] as const) {
    const { spec } = rotation!
    const key = 'ECDSA-P256'
    const targets = spec.targets?.map((target) => ({ ...target, key }))
    await client.create(trustRotations, {
      metadata: { name },
      spec: { ...spec, signer: { ...spec.signer, key }, targets, settle: '10s' },
    } as TrustRotation)
  }
}

async function configMap(client: KubeClient, name: string, pem: string): Promise<void> {
  const metadata = { namespace: 'openshift-config', name }
  await client.create(configMaps, { metadata, data: { 'ca-bundle.crt': pem } })
}
