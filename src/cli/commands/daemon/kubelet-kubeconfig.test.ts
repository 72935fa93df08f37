import { describe, expect, it } from 'vitest'
import type { FileReader } from '@machinist/core/files'
import { MemoryFiles } from '../../../daemon/host/memory/memory-files.ts'
import { apiAddressIn, kubeletKubeconfig, machineFiles } from './kubelet-kubeconfig.ts'

const kubeconfig = (server: string): string => `apiVersion: v1
kind: Config
current-context: kubelet
contexts: [{name: kubelet, context: {cluster: local, user: kubelet}}]
clusters: [{name: local, cluster: {server: '${server}'}}]
users: [{name: kubelet, user: {token: secret}}]
`
const defaultText = kubeconfig('https://api-int.example:6443')

async function machine(files: Record<string, string>): Promise<FileReader> {
  const memory = new MemoryFiles()
  for (const [path, text] of Object.entries(files)) {
    const parts = path.split('/').slice(1, -1)
    for (const at of parts.keys()) {
      const directory = `/${parts.slice(0, at + 1).join('/')}`
      await memory.makeDirectory(directory, { mode: 0o755, uid: 0, gid: 0 })
    }
    await memory.write(path, { content: Buffer.from(text), mode: 0o600, uid: 0, gid: 0 })
  }
  return machineFiles(memory)
}

describe("the kubelet's kubeconfig", () => {
  it.each([
    '/var/lib/kubelet/kubeconfig',
    '/etc/kubernetes/kubelet.conf',
    '/var/lib/rancher/k3s/agent/kubelet.kubeconfig',
    '/var/lib/rancher/rke2/agent/kubelet.kubeconfig',
  ])('is found at %s', async (path) => {
    expect(await kubeletKubeconfig(await machine({ [path]: defaultText }))).toBe(path)
  })

  it('is not the kubelet configuration that OpenShift keeps at the path of kubeadm', async () => {
    const conf = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n'
    const paths = {
      '/etc/kubernetes/kubelet.conf': conf,
      '/var/lib/kubelet/kubeconfig': defaultText,
    }
    expect(await kubeletKubeconfig(await machine(paths))).toBe('/var/lib/kubelet/kubeconfig')
    const alone = await machine({ '/etc/kubernetes/kubelet.conf': conf })
    await expect(kubeletKubeconfig(alone)).rejects.toThrow(
      "no kubelet kubeconfig found in /var/lib/kubelet/kubeconfig, /etc/kubernetes/kubelet.conf, /var/lib/rancher/k3s/agent/kubelet.kubeconfig, /var/lib/rancher/rke2/agent/kubelet.kubeconfig: name it with '--node-kubeconfig <file>'",
    )
  })

  it('can be JSON', async () => {
    const text = JSON.stringify({ kind: 'Config', clusters: [] }, undefined, 2)
    const files = await machine({ '/var/lib/kubelet/kubeconfig': text })
    expect(await kubeletKubeconfig(files)).toBe('/var/lib/kubelet/kubeconfig')
  })

  it.each([
    ['https://api-int.example:6443', { host: 'api-int.example', port: '6443' }],
    ['https://[fd00::1]:6443', { host: 'fd00::1', port: '6443' }],
    ['https://api.example', { host: 'api.example', port: '443' }],
    // A pod always uses TLS and a URL without a path.
    ['http://127.0.0.1:8080', undefined],
    ['https://console.example/clusters/c-1', undefined],
  ])('with server %s has the address %j', async (server, address) => {
    const files = await machine({ '/kubeconfig': kubeconfig(server) })
    expect(await apiAddressIn('/kubeconfig', files)).toEqual(address)
  })

  it('has no address if the certificate has another name: a pod cannot configure the name', async () => {
    const text = defaultText.replace('cluster: {', 'cluster: {tls-server-name: kubernetes, ')
    const files = await machine({ '/kubeconfig': text })
    expect(await apiAddressIn('/kubeconfig', files)).toBeUndefined()
  })
})
