import { nodeAnnotations } from '../../api/annotations.ts'
import type {
  ContainerRuntimeConfig,
  ControllerConfig,
  KubeletConfig,
  MachineConfig,
  MachineConfigNode,
  MachineConfigPool,
  MachineConfiguration,
} from '../../api/resources.ts'
import type { KubeObject } from '@machinist/core/resource'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Indexes } from '@machinist/kube/informer/store'
import type { Node } from '@machinist/kube/kinds/core'
import * as generated from '../generated/caches.ts'
import { owningPool } from '../../fleet/render/rendered-object.ts'

/** What render needs of an informer. */
export type Cache<T extends KubeObject> = Pick<
  Informer<T>,
  'get' | 'list' | 'byIndex' | 'synced' | 'subscribe'
>

/** What render reads. Informers may be shared with other controllers as long as they have these indexes. */
export interface RenderCaches {
  readonly pools: Cache<MachineConfigPool>
  /** With `machineConfigIndexes`. */
  readonly machineConfigs: Cache<MachineConfig>
  readonly controllerConfigs: Cache<ControllerConfig>
  readonly kubeletConfigs: Cache<KubeletConfig>
  readonly containerRuntimeConfigs: Cache<ContainerRuntimeConfig>
  readonly machineConfigurations: Cache<MachineConfiguration>
  /** With `nodeIndexes`; metadata is enough. */
  readonly nodes: Cache<Node>
  /** With `machineConfigNodeIndexes`. */
  readonly machineConfigNodes: Cache<MachineConfigNode>
}

export const byRenderedFor = 'render: rendered for pool'
export const byConfigInUse = 'render: config in use'

export const machineConfigIndexes: Indexes<MachineConfig> = {
  ...generated.machineConfigIndexes,
  [byRenderedFor]: (machineConfig) => texts(owningPool(machineConfig)),
}

export const nodeIndexes: Indexes<Node> = {
  [byConfigInUse]: ({ metadata: { annotations = {} } }) =>
    texts(
      annotations[nodeAnnotations.currentConfig],
      annotations[nodeAnnotations.desiredConfig],
      annotations[nodeAnnotations.firstPivotConfig],
    ),
}

export const machineConfigNodeIndexes: Indexes<MachineConfigNode> = {
  [byConfigInUse]: ({ spec, status }) =>
    texts(
      spec?.configVersion?.desired,
      status?.configVersion?.current,
      status?.configVersion?.desired,
    ),
}

function texts(...values: readonly (string | undefined)[]): string[] {
  return [...new Set(values.flatMap((value) => value || []))]
}
