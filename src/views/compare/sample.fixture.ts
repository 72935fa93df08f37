import type { ComparedPool, Comparison, NodeLine, NodeRotation, ComparedRotation } from './facts.ts'

/** A comparison of six nodes with rounded values. */
const samplePools: readonly ComparedPool[] = [
  { name: 'master', nodes: ['master-0', 'master-1'], paused: false },
  { name: 'worker', nodes: ['worker-0', 'worker-1'], paused: false },
  { name: 'infra', nodes: ['infra-0', 'infra-1'], paused: true },
]

const kubeletCA = '/etc/kubernetes/kubelet-ca.crt'
const [from, to] = [
  'rendered-worker-c58971230123456789abcdef01234567',
  'rendered-worker-7d8ff22e0123456789abcdef01234567',
]

const quiet: Omit<NodeRotation, 'name' | 'pool' | 'paused'> = {
  trusts: false,
  written: [],
  removed: [],
  notes: [],
  services: { daemonReloads: 0, services: [], reboots: 0 },
  cordons: 0,
  drains: 0,
  syncs: 0,
  requests: { reads: 0, writes: 1 },
  log: [],
}

const updating: readonly NodeLine[] = [
  {
    seconds: 1.04,
    message: 'decided',
    fields: { check: 'update is due', why: `from ${from} to ${to}`, next: 'update' },
  },
  { seconds: 1.26, message: 'update applied', fields: { from, to } },
  {
    seconds: 1.31,
    message: 'decided',
    fields: { check: 'node is in its config', why: `the node is in ${to}`, next: 'done' },
  },
]

const synced: readonly NodeLine[] = [
  {
    seconds: 0.62,
    message: 'Certificate was synced from controllerconfig resourceVersion 467',
    fields: { items: 'kubelet-client-ca' },
  },
]

function nodes(
  changeOf: (name: string, paused: boolean) => Partial<NodeRotation>,
): readonly NodeRotation[] {
  return samplePools.flatMap(({ name: pool, nodes: members, paused }) =>
    members.map((name) => Object.assign({ name, pool, paused }, quiet, changeOf(name, paused))),
  )
}

const common = {
  authority: {
    commonName: 'openshift-kube-apiserver-operator_kube-apiserver-to-kubelet-signer@1794837900',
    fingerprint: 'ab'.repeat(32),
  },
  issuerOnly: { seconds: 2.01, rotated: false, filesWritten: 0 },
  evictions: 0,
}

export const renderedRotation: ComparedRotation = {
  ...common,
  newConfigs: samplePools.map(({ name: pool }) => ({
    name: `rendered-${pool}-7d8ff22e0123456789abcdef01234567`,
    pool,
    files: 10,
    units: 2,
  })),
  controllerConfigWrites: 7,
  nodes: nodes((name, paused) =>
    paused
      ? {}
      : {
          trusts: true,
          seconds: name.endsWith('0') ? 1.12 : 2.42,
          written: [kubeletCA],
          notes: ['/etc/machine-config-daemon/currentconfig'],
          syncs: 1,
          requests: { reads: name === 'master-1' ? 13 : 12, writes: 12 },
          log: name === 'worker-0' ? updating : [],
        },
  ),
  end: { phase: 'Preparing', laggards: ['infra-0', 'infra-1'], holdingOld: 6 },
}

export const directRotation: ComparedRotation = {
  ...common,
  newConfigs: [],
  controllerConfigWrites: 5,
  nodes: nodes((name) => ({
    trusts: true,
    seconds: name === 'infra-1' ? 1.18 : 0.6,
    written: [kubeletCA],
    notes: ['/etc/machine-config-daemon/trust.json'],
    syncs: 1,
    requests: { reads: 1, writes: 1 },
    log: synced,
  })),
  end: { phase: 'Completed', laggards: [], holdingOld: 0 },
}

export const sampleComparison: Comparison = {
  pools: samplePools,
  speed: 10,
  rendered: renderedRotation,
  direct: directRotation,
}

/** The same rotation with a change of one node. */
export function withNode(
  rotation: ComparedRotation,
  name: string,
  change: Partial<NodeRotation>,
): ComparedRotation {
  const changed = rotation.nodes.map((node) =>
    node.name === name ? Object.assign({}, node, change) : node,
  )
  return { ...rotation, nodes: changed }
}
