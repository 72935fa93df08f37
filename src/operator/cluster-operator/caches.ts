import { annotations } from '../../api/annotations.ts'
import type { ClusterOperator } from '../../api/openshift-config.ts'
import type {
  ContainerRuntimeConfig,
  ControllerConfig,
  KubeletConfig,
  MachineConfig,
  MachineConfigPool,
  MachineConfiguration,
} from '../../api/kinds/resources.ts'
import type { KubeObject } from '@machinist/core/objects/resource'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'

type Cache<T extends KubeObject> = Pick<Informer<T>, 'get' | 'list' | 'synced' | 'subscribe'>

/** The caches of this controller; other controllers may share all of them. */
export interface ClusterOperatorCaches {
  /** From an `OptionalSource`: only OpenShift serves the kind. */
  readonly clusterOperators: Cache<ClusterOperator>
  readonly pools: Cache<MachineConfigPool>
  /** With `withoutConfig` as transform, unless another controller needs the content. */
  readonly machineConfigs: Cache<MachineConfig>
  readonly controllerConfigs: Cache<ControllerConfig>
  readonly machineConfigurations: Cache<MachineConfiguration>
  readonly kubeletConfigs: Cache<KubeletConfig>
  readonly containerRuntimeConfigs: Cache<ContainerRuntimeConfig>
  readonly nodes: Cache<Node>
}

const keptAnnotations = [
  annotations.generatedByController,
  annotations.releaseImageVersion,
  annotations.osImageURLOverridden,
] as const

/** Keeps the fields of a MachineConfig that identify its release: all MachineConfigs together may have tens of megabytes. */
export function withoutConfig({ apiVersion, kind, metadata, spec }: MachineConfig): MachineConfig {
  const kept = keptAnnotations.flatMap((key) => {
    const value = metadata.annotations?.[key]
    return value === undefined ? [] : [[key, value] as const]
  })
  return {
    ...(apiVersion !== undefined && { apiVersion }),
    ...(kind !== undefined && { kind }),
    metadata: { ...metadata, annotations: Object.fromEntries(kept) },
    spec: spec?.osImageURL === undefined ? {} : { osImageURL: spec.osImageURL },
  }
}
