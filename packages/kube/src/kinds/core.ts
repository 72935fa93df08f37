import type { Condition, KubeObject, ObjectReference } from '@machinist/core/objects/resource'
import { resource } from '@machinist/core/objects/resource'

export interface Node extends KubeObject {
  spec?: {
    unschedulable?: boolean
    taints?: Taint[]
    providerID?: string
    podCIDRs?: string[]
  }
  status?: {
    conditions?: NodeCondition[]
    addresses?: { type: string; address: string }[]
    capacity?: Record<string, string>
    allocatable?: Record<string, string>
    nodeInfo?: NodeInfo
  }
}

export interface NodeCondition extends Condition {
  lastHeartbeatTime?: string
}

export interface Taint {
  key: string
  value?: string
  effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute'
  timeAdded?: string
}

export interface NodeInfo {
  bootID: string
  machineID: string
  systemUUID: string
  kernelVersion: string
  osImage: string
  operatingSystem: string
  architecture: string
  containerRuntimeVersion: string
  kubeletVersion: string
}

export interface Pod extends KubeObject {
  spec?: PodSpec
  status?: {
    phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown'
    reason?: string
    message?: string
    conditions?: Condition[]
    startTime?: string
    containerStatuses?: ContainerStatus[]
  }
}

export interface PodSpec {
  nodeName?: string
  serviceAccountName?: string
  priorityClassName?: string
  priority?: number
  hostNetwork?: boolean
  hostPID?: boolean
  restartPolicy?: string
  terminationGracePeriodSeconds?: number
  nodeSelector?: Record<string, string>
  tolerations?: Toleration[]
  initContainers?: Container[]
  containers: Container[]
  volumes?: Volume[]
}

export interface Toleration {
  key?: string
  operator?: 'Exists' | 'Equal'
  value?: string
  effect?: Taint['effect']
  tolerationSeconds?: number
}

export interface Container {
  name: string
  image?: string
  command?: string[]
  args?: string[]
  env?: { name: string; value?: string; valueFrom?: object }[]
  ports?: { name?: string; containerPort: number; protocol?: string; hostPort?: number }[]
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> }
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean; subPath?: string }[]
  securityContext?: object
  livenessProbe?: object
  readinessProbe?: object
  terminationMessagePolicy?: string
}

export interface ContainerStatus {
  name: string
  ready: boolean
  restartCount: number
  image?: string
  imageID?: string
}

export interface Volume {
  name: string
  emptyDir?: { medium?: string; sizeLimit?: string }
  hostPath?: { path: string; type?: string }
  configMap?: { name: string; defaultMode?: number }
  secret?: { secretName: string; defaultMode?: number }
  projected?: object
}

export interface PodTemplate {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> }
  spec: PodSpec
}

export interface Namespace extends KubeObject {
  spec?: { finalizers?: string[] }
  status?: { phase?: 'Active' | 'Terminating' }
}

export interface ConfigMap extends KubeObject {
  data?: Record<string, string>
  /** base64 encoded */
  binaryData?: Record<string, string>
  immutable?: boolean
}

export interface Secret extends KubeObject {
  type?: string
  /** base64 encoded */
  data?: Record<string, string>
  /** Write-only: the server encodes it into `data`. */
  stringData?: Record<string, string>
  immutable?: boolean
}

export interface ServiceAccount extends KubeObject {
  secrets?: ObjectReference[]
  imagePullSecrets?: { name?: string }[]
}

export interface Service extends KubeObject {
  spec?: {
    type?: 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalName'
    clusterIP?: string
    /** One address for each IP family; the first is clusterIP. */
    clusterIPs?: string[]
    selector?: Record<string, string>
    ports?: {
      name?: string
      port: number
      targetPort?: number | string
      nodePort?: number
      protocol?: string
    }[]
  }
}

const core = { group: '', version: 'v1' }

export const nodes = resource<Node>({ ...core, kind: 'Node', plural: 'nodes', namespaced: false })
export const pods = resource<Pod>({ ...core, kind: 'Pod', plural: 'pods', namespaced: true })
export const namespaces = resource<Namespace>({
  ...core,
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
})
export const configMaps = resource<ConfigMap>({
  ...core,
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
})
export const secrets = resource<Secret>({
  ...core,
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
})
export const serviceAccounts = resource<ServiceAccount>({
  ...core,
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
})
export const services = resource<Service>({
  ...core,
  kind: 'Service',
  plural: 'services',
  namespaced: true,
})
