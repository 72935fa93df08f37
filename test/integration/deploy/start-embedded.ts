import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { startEmbeddedApi } from '@machinist/apiserver/embedded/embedded-api'
import { clusterRoleBindings } from '@machinist/kube/kinds/rbac'
import { issueCertificate, validFor } from '@machinist/pki/issue'
import { clientOf } from '../daemon/cluster/api.ts'
import type { RecordedRequest } from './recorded-request.ts'
import { fromEmbeddedServer } from './recorded-request.ts'
import type { Stage } from './stage.ts'
import { kubectlOf, kubectlProgram } from './stage.ts'

const day = 86_400_000

export async function startEmbedded(): Promise<Stage> {
  const directory = mkdtempSync(join(tmpdir(), 'machinist-deploy-'))
  const recorded: RecordedRequest[] = []
  const api = await startEmbeddedApi({
    data: join(directory, 'data'),
    host: '127.0.0.1',
    port: 0,
    log: silentLogger,
    audit: (request) => void recorded.push(...[fromEmbeddedServer(request) ?? []].flat()),
  })
  const { url: server, kubeconfig } = api
  const { client, transport, close } = await clientOf(kubeconfig)
  // The embedded server has no Node authorizer: grant kubelets their permissions by RBAC.
  await client.create(clusterRoleBindings, {
    metadata: { name: 'kubelets' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:node' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:nodes' }],
  })
  return {
    server,
    ca: api.ca(),
    client,
    transport,
    kubeconfig,
    kubectl: kubectlOf(kubectlProgram(), kubeconfig, join(directory, 'kubectl')),
    certificate: (commonName, ...organizations) =>
      issueCertificate(api.authority, {
        commonName,
        organizations,
        usages: ['client'],
        validity: validFor(systemClock, day),
      }),
    recorded: () => recorded,
    stop: async () => {
      close()
      await api.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
