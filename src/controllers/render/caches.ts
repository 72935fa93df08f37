import type { KubeObject } from '@machinist/core/objects/resource'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Indexes } from '@machinist/kube/informer/store'
import type { Node } from '@machinist/kube/kinds/core'
import { nodeAnnotations } from '../../api/annotations.ts'
import type {
  ContainerRuntimeConfig,
  ControllerConfig,
  KubeletConfig,
  MachineConfig,
  MachineConfigNode,
  MachineConfigPool,
  MachineConfiguration,
} from '../../api/kinds/resources.ts'
import * as generated from '../generated/caches.ts'
import { owningPool } from '../../fleet/render/rendered-object.ts'

/** The part of an informer that the render controller uses. */
export type SharedCache<T extends KubeObject> = Pick<
  Informer<T>,
  'get' | 'list' | 'byIndex' | 'synced' | 'subscribe'
>

/** The caches that the render controller reads. Informers may be shared with other controllers if they have these indexes. */
export interface RenderCaches {
  readonly pools: SharedCache<MachineConfigPool>
  /** With `machineConfigIndexes`. */
  readonly machineConfigs: SharedCache<MachineConfig>
  readonly controllerConfigs: SharedCache<ControllerConfig>
  readonly kubeletConfigs: SharedCache<KubeletConfig>
  readonly containerRuntimeConfigs: SharedCache<ContainerRuntimeConfig>
  readonly machineConfigurations: SharedCache<MachineConfiguration>
  /** With `nodeIndexes`; metadata is enough. */
  readonly nodes: SharedCache<Node>
  /** With `machineConfigNodeIndexes`. */
  readonly machineConfigNodes: SharedCache<MachineConfigNode>
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
