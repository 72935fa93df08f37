import { systemClock } from '@machinist/core/clock'
import type { KubeClient } from '@machinist/kube/client/client'
import { configMaps } from '@machinist/kube/kinds/core'
import { createAuthority, validFor } from '@machinist/pki/issue'
import { ca } from '@machinist/testing/certificates/certificates'
import { configMaps as sources } from '../../../src/api/names.ts'
import { parseSize } from '../../../src/devcluster/size/cluster-size.ts'
import { createClusterObjects } from '../../../src/devcluster/installation/cluster-stand-in.ts'
import { completeInstallation } from '../../../src/devcluster/installation/trust-sources.ts'

/** Creates the objects of a cluster with one node, with the CAs that a signer would publish. */
export async function installCluster(client: KubeClient): Promise<void> {
  const validity = validFor(systemClock, 86_400_000)
  const authority = await createAuthority({ name: 'api', validity })
  const given = { client, clock: systemClock, authority, hostnames: ['127.0.0.1'], speed: 1 }
  await createClusterObjects(given, parseSize('1'))
  for (const [{ namespace, name, key }, pem] of [
    [sources.kubeletClientCA, await ca('kube-apiserver-to-kubelet-signer@1')],
    [sources.apiServerCA, authority.certificate],
  ] as const) {
    await client.create(configMaps, { metadata: { namespace, name }, data: { [key]: pem } })
  }
  await completeInstallation(client)
}
