/** One recorded request. */
export interface Request {
  readonly verb: 'create' | 'update' | 'apply' | 'merge' | 'json' | 'strategic'
  /** Sent as `fieldManager`. */
  readonly manager?: string
  /** Sent without a manager: the server uses its first part. */
  readonly userAgent?: string
  readonly force?: boolean
  readonly subresource?: 'status'
  readonly body: unknown
}

/** The server's answer; times, uids and versions are replaced by stable ones. */
export interface Step {
  readonly request: Request
  readonly code: number
  readonly answer: Readonly<Record<string, unknown>>
}

export interface Place {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly namespaced: boolean
}

export interface Sequence {
  readonly name: string
  readonly kind: string
  readonly steps: readonly Request[]
}

export interface RecordedSequence {
  readonly name: string
  readonly kind: string
  readonly steps: readonly Step[]
}

const mco = 'machineconfiguration.openshift.io'

export const places: Readonly<Record<string, Place>> = {
  ConfigMap: at('', 'ConfigMap', 'configmaps', true),
  Node: at('', 'Node', 'nodes', false),
  Pod: at('', 'Pod', 'pods', true),
  Service: at('', 'Service', 'services', true),
  ServiceAccount: at('', 'ServiceAccount', 'serviceaccounts', true),
  Namespace: at('', 'Namespace', 'namespaces', false),
  Deployment: at('apps', 'Deployment', 'deployments', true),
  DaemonSet: at('apps', 'DaemonSet', 'daemonsets', true),
  PodDisruptionBudget: at('policy', 'PodDisruptionBudget', 'poddisruptionbudgets', true),
  ClusterRole: at('rbac.authorization.k8s.io', 'ClusterRole', 'clusterroles', false),
  MachineConfigPool: at(mco, 'MachineConfigPool', 'machineconfigpools', false),
  MachineConfig: at(mco, 'MachineConfig', 'machineconfigs', false),
}

/** The time of a step, in recordings and replays. */
export function momentOf(step: number): number {
  return Date.UTC(2026, 0, 1, 0, 0, step)
}

function at(group: string, kind: string, plural: string, namespaced: boolean): Place {
  return { group, version: 'v1', kind, plural, namespaced }
}
