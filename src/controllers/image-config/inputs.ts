import type { KubeObject } from '@machinist/core/objects/resource'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import { conditionOf, imageConfigDegraded } from '../../api/conditions.ts'
import { labels } from '../../api/labels.ts'
import { names } from '../../api/names.ts'
import type {
  ControllerConfig,
  MachineConfig,
  MachineConfigPool,
} from '../../api/kinds/resources.ts'
import { owningControllerConfig } from '../../fleet/render/owner.ts'
import type { SharedCache } from '../render/caches.ts'
import { relevantTemplateFields } from '../render/template-state.ts'
import { isGeneratedName } from './names.ts'
import type { ImageSources } from './sources.ts'

/** The caches of this controller; other controllers may share the informers. */
export interface ImageConfigCaches {
  readonly pools: SharedCache<MachineConfigPool>
  readonly machineConfigs: SharedCache<MachineConfig>
  readonly controllerConfigs: SharedCache<ControllerConfig>
  readonly imageSources: ImageSources
}

/** Every relevant change enqueues the only key. */
export function imageConfigInputs(caches: ImageConfigCaches): Input[] {
  const key = names.clusterConfig
  const { pools, machineConfigs, controllerConfigs, imageSources } = caches
  const followed = <T extends KubeObject>(
    resource: string,
    informer: SharedCache<T>,
    relevant: (object: Readonly<T>) => unknown,
  ): Input =>
    input({
      resource,
      informer,
      keys: (change) => (isRelevantChange(change, relevant) ? [key] : []),
    })
  const spec = (object: Readonly<KubeObject & { spec?: unknown }>): unknown => [
    object.metadata.uid,
    object.metadata.deletionTimestamp,
    object.spec,
  ]
  return [
    followed('Image', imageSources.images, spec),
    followed('ClusterVersion', imageSources.clusterVersions, ({ status }) => status?.desired),
    followed('ImageDigestMirrorSet', imageSources.digestSets, spec),
    followed('ImageTagMirrorSet', imageSources.tagSets, spec),
    followed('ImageContentPolicy', imageSources.contentPolicies, spec),
    followed('ImageContentSourcePolicy', imageSources.contentSourcePolicies, spec),
    followed('ClusterImagePolicy', imageSources.clusterPolicies, spec),
    followed('ImagePolicy', imageSources.policies, (object) => [spec(object), object.status]),
    followed(
      'MachineConfigPool',
      pools,
      ({ metadata, spec: { machineConfigSelector }, status }) => [
        metadata.labels?.[labels.builtInPool],
        metadata.deletionTimestamp,
        machineConfigSelector,
        conditionOf(status?.conditions, imageConfigDegraded),
      ],
    ),
    followed('ControllerConfig', controllerConfigs, relevantTemplateFields),
    input({
      resource: 'MachineConfig',
      informer: machineConfigs,
      keys: ({ object }) => (isRelevant(object) ? [key] : []),
    }),
  ]
}

/** MachineConfigs of this controller, under current and old names, and those that templates rendered. */
const isRelevant = (machineConfig: Readonly<MachineConfig>): boolean =>
  isGeneratedName(machineConfig.metadata.name) ||
  owningControllerConfig(machineConfig) !== undefined
