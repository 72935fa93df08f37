import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toYaml } from '@machinist/core/encoding/yaml'
import { startPrivateCluster } from '@machinist/testing/clusters/real-cluster'
import { clientAuthority } from '@machinist/testing/clusters/start-cluster'
import { clientOf } from '../daemon/cluster/api.ts'
import { AuditLog } from './audit-log.ts'
import type { Stage } from './stage.ts'
import { kubectlOf } from './stage.ts'

/**
 * A real kube-apiserver, as strict as OpenShift's: with the Node authorizer, NodeRestriction and OwnerReferencesPermissionEnforcement.
 */
export async function startReal(): Promise<Stage> {
  const cluster = await startPrivateCluster({
    flags: (directory) => {
      const policy = join(directory, 'audit-policy.yaml')
      writeFileSync(policy, toYaml(everything))
      return [
        '--authorization-mode=Node',
        '--allow-privileged=true',
        '--enable-admission-plugins=NodeRestriction,OwnerReferencesPermissionEnforcement',
        `--audit-policy-file=${policy}`,
        `--audit-log-path=${join(directory, 'audit.log')}`,
      ]
    },
  })
  const { server, kubeconfig, directory } = cluster
  const { client, transport, close } = await clientOf(kubeconfig)
  const authority = clientAuthority(cluster)
  const log = new AuditLog(join(directory, 'audit.log'))
  return {
    server,
    ca: readFileSync(cluster.caFile, 'utf8'),
    client,
    transport,
    kubeconfig,
    kubectl: kubectlOf(cluster.kubectl, kubeconfig, join(directory, 'kubectl')),
    certificate: async (user, ...groups) => authority.issueClient(user, ...groups),
    recorded: () => log.recorded(),
    stop: async () => {
      close()
      await cluster.stop()
    },
  }
}

const everything = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  // Records a watch when it starts and when it ends.
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata' }],
}
