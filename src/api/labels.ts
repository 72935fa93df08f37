/** Label keys of the API. */
const domain = 'machineconfiguration.openshift.io'

export const labels = {
  /** On a MachineConfig: the role that it is for. Set by users and controllers; pools select by it. */
  role: `${domain}/role`,
  /** On the pools that the operator creates. */
  builtInPool: `${domain}/mco-built-in`,
  /** On a pool whose rollout must finish before an upgrade is complete. Written and read by the operator. */
  requiredForUpgrade: `operator.${domain}/required-for-upgrade`,
  /** On a pool, in older releases: its OS image is built in the cluster. */
  layeringEnabled: `${domain}/layering-enabled`,
  /** On Machinist's CustomResourceDefinitions, so that the operator watches only those. */
  operatorManaged: 'openshift.io/operator-managed',
  /** On certificate Secrets and bundle ConfigMaps: `signer`, `ca-bundle` or `target`. Written by the signer. */
  managedCertificateType: 'auth.openshift.io/managed-certificate-type',
  /** On the user-data Secrets of machine sets: the source of their CA. Written by the operator. */
  caDerivedFromConfigMap: `${domain}/managed-ca-bundle-derived-from-configmap`,
} as const

/** Labels of Machinist only. */
export const ownLabels = {
  /** On provisioning token Secrets: the pool that the token is for. */
  pool: 'machinist.dev/pool',
} as const

/** On a TrustRotation that the operator maintains. A user who removes it owns the object. */
export const managedByOperator = {
  key: 'app.kubernetes.io/managed-by',
  value: 'machine-config-operator',
} as const

/** Values of the managed-certificate-type label. */
export const certificateTypes = { signer: 'signer', bundle: 'ca-bundle', target: 'target' } as const

/** Labels of Nodes. The rollout controller writes some of them. */
export const nodeLabels = {
  os: 'kubernetes.io/os',
  zone: 'topology.kubernetes.io/zone',
  master: 'node-role.kubernetes.io/master',
  controlPlane: 'node-role.kubernetes.io/control-plane',
  worker: 'node-role.kubernetes.io/worker',
} as const

/** Windows nodes are unmanaged: they belong to no pool, and no component waits for them. */
export function isManaged(labelled: Readonly<Record<string, string>> | undefined): boolean {
  return labelled?.[nodeLabels.os] !== 'windows'
}

/** Whether a Node belongs to the control plane, by one of its two labels. */
export function isControlPlane(labelled: Readonly<Record<string, string>> = {}): boolean {
  return nodeLabels.controlPlane in labelled || nodeLabels.master in labelled
}

/** Taint keys. `updateInProgress` marks nodes that wait for their turn in a rollout. */
export const taints = {
  updateInProgress: 'UpdateInProgress',
  master: nodeLabels.master,
  controlPlane: nodeLabels.controlPlane,
} as const

/** The label of a pool that KubeletConfigs select by: `pools.operator.…/worker`. */
export function poolLabel(pool: string): string {
  return `pools.operator.${domain}/${pool}`
}

/** The label by which a built-in pool selects its nodes. */
export function nodeRoleLabel(role: string): string {
  return `node-role.kubernetes.io/${role}`
}
