import { nodePaths } from '../../api/node-paths.ts'
import { InvalidInput } from '@machinist/core/errors'
import type { HostFiles } from '../../daemon/host/host.ts'
import { readThroughLinks } from '../../daemon/host/read-through-links.ts'
import type { Files } from '@machinist/core/files'
import { readIfThere } from '@machinist/core/files'
import { targetIn } from '@machinist/kube/connection/kubeconfig'

/** Where kubelets keep what they ask the API with: OpenShift and most clouds, kubeadm, k3s, RKE2. */
const kubelets = [
  nodePaths.kubeletKubeconfig,
  '/etc/kubernetes/kubelet.conf',
  '/var/lib/rancher/k3s/agent/kubelet.kubeconfig',
  '/var/lib/rancher/rke2/agent/kubelet.kubeconfig',
]

/** A machine's files, as what reads kubeconfigs wants them. */
export const machineFiles = (files: HostFiles): Files => ({
  read: (path) => readThroughLinks(files, path),
})

/** The path of the kubelet's own kubeconfig: where this machine has it. */
export async function kubeletKubeconfig(files: Files): Promise<string> {
  for (const path of kubelets) {
    const text = await readIfThere(files, path)
    if (text !== undefined && isKubeconfig.test(text)) return path
  }
  const places = kubelets.join(', ')
  throw new InvalidInput(
    `no kubeconfig of a kubelet in ${places}: name it with '--node-kubeconfig <file>'`,
  )
}

/** OpenShift has the kubelet's configuration where kubeadm has its kubeconfig. */
const isKubeconfig = /^\s*"?kind"?:\s*["']?Config\b/m

export interface ApiAddress {
  readonly host: string
  readonly port: string
}

/**
 * Where a kubeconfig says that the API is: the daemon goes the same way as its kubelet, which does not depend on the network
 * of Services. Undefined where a pod could not go there with its own token.
 */
export async function apiAddressIn(path: string, files: Files): Promise<ApiAddress | undefined> {
  const { server, serverName } = await targetIn([{ path, text: await files.read(path) }])
  const { protocol, hostname, port, pathname } = new URL(server)
  if (protocol !== 'https:' || pathname !== '/' || serverName !== undefined) return undefined
  return { host: hostname.replaceAll(/[[\]]/g, ''), port: port || '443' }
}
