import { InvalidInput } from '@machinist/core/errors'
import type { FileReader } from '@machinist/core/files'
import { readFileIfExists } from '@machinist/core/files'
import { targetFromKubeconfig } from '@machinist/kube/connection/kubeconfig'
import { nodePaths } from '../../../api/node-paths.ts'
import type { HostFiles } from '../../../daemon/host/host.ts'
import { readThroughLinks } from '../../../daemon/host/files/read-through-links.ts'

/** Paths of the kubelet's kubeconfig: OpenShift and most clouds, kubeadm, k3s, RKE2. */
const kubeconfigPaths = [
  nodePaths.kubeletKubeconfig,
  '/etc/kubernetes/kubelet.conf',
  '/var/lib/rancher/k3s/agent/kubelet.kubeconfig',
  '/var/lib/rancher/rke2/agent/kubelet.kubeconfig',
]

/** Adapts the files of a machine to the reader of kubeconfigs. */
export const machineFiles = (files: HostFiles): FileReader => ({
  read: (path) => readThroughLinks(files, path),
})

/** The path of the kubelet's kubeconfig on this machine. */
export async function kubeletKubeconfig(files: FileReader): Promise<string> {
  for (const path of kubeconfigPaths) {
    const text = await readFileIfExists(files, path)
    if (text !== undefined && isKubeconfig.test(text)) return path
  }
  const places = kubeconfigPaths.join(', ')
  throw new InvalidInput(
    `no kubelet kubeconfig found in ${places}: name it with '--node-kubeconfig <file>'`,
  )
}

/** OpenShift keeps the kubelet's configuration at the path of kubeadm's kubeconfig. */
const isKubeconfig = /^\s*"?kind"?:\s*["']?Config\b/m

export interface ApiAddress {
  readonly host: string
  readonly port: string
}

/**
 * The address of the API server in a kubeconfig. The daemon uses the kubelet's address, which does not depend on the Service
 * network. Undefined if a pod cannot use this address with its own token.
 */
export async function apiAddressIn(
  path: string,
  files: FileReader,
): Promise<ApiAddress | undefined> {
  const { server, serverName } = await targetFromKubeconfig([
    { path, text: await files.read(path) },
  ])
  const { protocol, hostname, port, pathname } = new URL(server)
  if (protocol !== 'https:' || pathname !== '/' || serverName !== undefined) return undefined
  return { host: hostname.replaceAll(/[[\]]/g, ''), port: port || '443' }
}
