/** Labels with a meaning in the API, one home each. */
const domain = 'machineconfiguration.openshift.io'

export const labels = {
  /** On a MachineConfig: the pool it is meant for. Users and controllers write, pools select by it. */
  role: `${domain}/role`,
  /** On the pools that the operator itself makes. */
  builtInPool: `${domain}/mco-built-in`,
  /** On a pool whose rollout must finish before an upgrade counts as done. Operator writes and reads. */
  requiredForUpgrade: `operator.${domain}/required-for-upgrade`,
  /** On a pool in older releases: its OS images are built in the cluster. */
  layeringEnabled: `${domain}/layering-enabled`,
  /** On every CustomResourceDefinition of ours, so that the operator can watch its own only. */
  operatorManaged: 'openshift.io/operator-managed',
  /** On certificate Secrets and bundle ConfigMaps: `signer`, `ca-bundle` or `target`. Signer writes. */
  managedCertificateType: 'auth.openshift.io/managed-certificate-type',
  /** On the user-data Secrets of machine sets: where their CA comes from. Operator writes. */
  caDerivedFromConfigMap: `${domain}/managed-ca-bundle-derived-from-configmap`,
} as const

/** Values of the managed-certificate-type label. */
export const certificateTypes = { signer: 'signer', bundle: 'ca-bundle', target: 'target' } as const

/** Labels of Node objects that we read, and some that the rollout controller writes. */
export const nodeLabels = {
  os: 'kubernetes.io/os',
  zone: 'topology.kubernetes.io/zone',
  master: 'node-role.kubernetes.io/master',
  controlPlane: 'node-role.kubernetes.io/control-plane',
  worker: 'node-role.kubernetes.io/worker',
} as const

/** Nobody looks after machines with Windows: they have no pool, and nothing is waited for there. */
export function isLookedAfter(labelled: Readonly<Record<string, string>> | undefined): boolean {
  return labelled?.[nodeLabels.os] !== 'windows'
}

/** Whether a Node belongs to the control plane, by either of its labels. */
export function isControlPlane(labelled: Readonly<Record<string, string>> = {}): boolean {
  return nodeLabels.controlPlane in labelled || nodeLabels.master in labelled
}

/** Taint keys. `updateInProgress` marks nodes that still wait for their turn in a rollout. */
export const taints = {
  updateInProgress: 'UpdateInProgress',
  master: nodeLabels.master,
  controlPlane: nodeLabels.controlPlane,
} as const

/** Tells a pool's own label, which KubeletConfigs select by: `pools.operator.…/worker`. */
export function poolLabel(pool: string): string {
  return `pools.operator.${domain}/${pool}`
}

/** The label by which a built-in pool finds its nodes. */
export function nodeRoleLabel(role: string): string {
  return `node-role.kubernetes.io/${role}`
}
