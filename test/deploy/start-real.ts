import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toYaml } from '../../src/base/yaml.ts'
import { clientOf } from '../daemon/cluster/api.ts'
import { startPrivateCluster } from '../support/real-cluster.ts'
import { clientAuthority } from '../support/start-cluster.ts'
import { recordedThere } from './recorded.ts'
import type { Stage } from './stage.ts'
import { kubectlOf } from './stage.ts'

/** As clusters are set up: kubelets have an authorizer and an admission plugin of their own. Some have more plugins. */
export async function startReal(...plugins: string[]): Promise<Stage> {
  const cluster = await startPrivateCluster({
    flags: (directory) => {
      const policy = join(directory, 'audit-policy.yaml')
      writeFileSync(policy, toYaml(everything))
      return [
        '--authorization-mode=Node',
        '--allow-privileged=true',
        `--enable-admission-plugins=${['NodeRestriction', ...plugins].join()}`,
        `--audit-policy-file=${policy}`,
        `--audit-log-path=${join(directory, 'audit.log')}`,
      ]
    },
  })
  const { server, kubeconfig, directory } = cluster
  const { client, transport, close } = await clientOf(kubeconfig)
  const authority = clientAuthority(cluster)
  const log = join(directory, 'audit.log')
  return {
    server,
    ca: readFileSync(cluster.caFile, 'utf8'),
    client,
    transport,
    kubeconfig,
    kubectl: kubectlOf(cluster.kubectl, kubeconfig, join(directory, 'kubectl')),
    kubelet: async (node) => authority.issueClient(`system:node:${node}`, 'system:nodes'),
    recorded: () => {
      const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : []
      return lines.flatMap((line) => (line === '' ? [] : (recordedThere(line) ?? [])))
    },
    stop: async () => {
      close()
      await cluster.stop()
    },
  }
}

const everything = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  // A watch is told of when it begins and when it ends.
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata' }],
}
