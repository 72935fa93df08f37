import { nodePaths } from '../../api/node-paths.ts'
import type { HostFiles } from '../../daemon/host/host.ts'
import { makeDirectoriesAbove } from '../../daemon/trust/items/trust-file.ts'
import { nodeKubeconfig } from '../../fleet/provisioning/node-kubeconfig.ts'
import { internalURL } from '../installation/cluster-stand-in.ts'

/**
 * Writes the two kubeconfigs of a kubelet, as after a first boot and a first certificate. No kubelet uses them here, but the daemon
 * maintains the API server's CA in them as on any node.
 */
export async function writeKubeconfigs(files: HostFiles, apiCA: string): Promise<void> {
  const kubelet = '/var/lib/kubelet/pki/kubelet-client-current.pem'
  const users = {
    [nodePaths.bootstrapKubeconfig]: { tokenFile: '/etc/kubernetes/bootstrap-token' },
    [nodePaths.kubeletKubeconfig]: { 'client-certificate': kubelet, 'client-key': kubelet },
  }
  for (const [path, user] of Object.entries(users)) {
    // An existing file can contain newer CAs.
    if (await files.stat(path)) continue
    await makeDirectoriesAbove(files, path)
    const content = Buffer.from(nodeKubeconfig({ server: internalURL, caBundle: apiCA, user }))
    await files.write(path, { content, mode: 0o600, uid: 0, gid: 0 })
  }
}
