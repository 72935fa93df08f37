/** A Node as registered by a kubelet: about 5 kB of JSON. */
export function realisticNode(index: number): object {
  const name = `worker-${String(index).padStart(5, '0')}.example.com`
  const address = `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: labelsOf(name, index), annotations: annotationsOf(address) },
    spec: {
      podCIDR: '10.128.0.0/24',
      podCIDRs: ['10.128.0.0/24'],
      providerID: `example:///zone-${index % 3}/instance-${index}`,
    },
    status: {
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: name },
      ],
      capacity: resources('8', '32Gi'),
      allocatable: resources('7500m', '30Gi'),
      conditions: conditions.map(([type, status, reason, message]) => ({
        type,
        status,
        reason,
        message,
        lastHeartbeatTime: '2026-01-01T00:00:00Z',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      })),
      daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } },
      images: Array.from({ length: 12 }, (_, i) => image(i)),
      nodeInfo,
    },
  }
}

const labelsOf = (name: string, index: number): Record<string, string> => ({
  'beta.kubernetes.io/arch': 'amd64',
  'beta.kubernetes.io/os': 'linux',
  'kubernetes.io/arch': 'amd64',
  'kubernetes.io/hostname': name,
  'kubernetes.io/os': 'linux',
  'node-role.kubernetes.io/worker': '',
  'node.kubernetes.io/instance-type': 'standard-8',
  'topology.kubernetes.io/region': 'region-1',
  'topology.kubernetes.io/zone': `zone-${index % 3}`,
})

const annotationsOf = (address: string): Record<string, string> => ({
  'machineconfiguration.openshift.io/currentConfig':
    'rendered-worker-0123456789abcdef0123456789abcdef',
  'machineconfiguration.openshift.io/desiredConfig':
    'rendered-worker-0123456789abcdef0123456789abcdef',
  'machineconfiguration.openshift.io/reason': '',
  'machineconfiguration.openshift.io/state': 'Done',
  'network.example.com/primary-address': JSON.stringify({ ipv4: `${address}/16` }),
  'volumes.kubernetes.io/controller-managed-attach-detach': 'true',
})

const resources = (cpu: string, memory: string): Record<string, string> => ({
  cpu,
  memory,
  'ephemeral-storage': '120Gi',
  'hugepages-1Gi': '0',
  'hugepages-2Mi': '0',
  pods: '250',
})

const conditions = [
  ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory'],
  ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
  ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
] as const

function image(index: number): object {
  const repository = `registry.example.com/platform/component-${index}`
  const digest = `sha256:${String(index).repeat(64).slice(0, 64)}`
  return {
    names: [`${repository}@${digest}`, `${repository}:v4.${index}.0`],
    sizeBytes: 100_000_000 + index,
  }
}

const nodeInfo = {
  architecture: 'amd64',
  bootID: '0f3a6c52-8a3e-4c26-9d0e-5a2b7c1d4e6f',
  containerRuntimeVersion: 'cri-o://1.32.1',
  kernelVersion: '5.14.0-503.el9.x86_64',
  kubeProxyVersion: 'v1.32.4',
  kubeletVersion: 'v1.32.4',
  machineID: '6d8f1c2b3a4e5f60718293a4b5c6d7e8',
  operatingSystem: 'linux',
  osImage: 'Example Linux CoreOS 418.94',
  systemUUID: '6d8f1c2b-3a4e-5f60-7182-93a4b5c6d7e8',
}
