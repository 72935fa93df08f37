import { nodePaths } from '../../api/node-paths.ts'
import { toYaml } from '@machinist/core/yaml'
import type { HostFiles } from '../../daemon/host/host.ts'
import { makeDirectoriesAbove } from '../../daemon/trust/trust-file.ts'
import { internalURL } from '../installation/cluster-stand-in.ts'

/**
 * The two kubeconfigs of a kubelet, as a first boot and a first certificate leave them. Nothing here uses them, but the
 * API server's CA in them is followed as on any node.
 */
export async function giveKubeconfigs(files: HostFiles, apiCA: string): Promise<void> {
  const kubelet = '/var/lib/kubelet/pki/kubelet-client-current.pem'
  const users = {
    [nodePaths.bootstrapKubeconfig]: { tokenFile: '/etc/kubernetes/bootstrap-token' },
    [nodePaths.kubeletKubeconfig]: { 'client-certificate': kubelet, 'client-key': kubelet },
  }
  for (const [path, user] of Object.entries(users)) {
    // What is there may hold newer CAs.
    if (await files.look(path)) continue
    await makeDirectoriesAbove(files, path)
    const content = Buffer.from(kubeconfig(user, apiCA))
    await files.write(path, { content, mode: 0o600, uid: 0, gid: 0 })
  }
}

function kubeconfig(user: object, apiCA: string): string {
  const name = 'kubelet'
  const ca = Buffer.from(apiCA).toString('base64')
  return toYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    contexts: [{ name, context: { cluster: 'local', user: name } }],
    clusters: [
      { name: 'local', cluster: { server: internalURL, 'certificate-authority-data': ca } },
    ],
    users: [{ name, user }],
  })
}
