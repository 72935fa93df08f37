import { conditionOf, imageConfigDegraded } from '../../api/conditions.ts'
import { labels } from '../../api/labels.ts'
import type { ControllerConfig, MachineConfig, MachineConfigPool } from '../../api/resources.ts'
import type { KubeObject } from '@machinist/core/resource'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isNews } from '@machinist/kube/controller/news'
import { owningControllerConfig } from '../../fleet/render/owner.ts'
import type { Cache } from '../render/caches.ts'
import { saidOfTemplates } from '../render/template-state.ts'
import type { ImageSources } from './sources.ts'

/** What it follows; the informers may be shared with others. */
export interface ImageConfigCaches {
  readonly pools: Cache<MachineConfigPool>
  readonly machineConfigs: Cache<MachineConfig>
  readonly controllerConfigs: Cache<ControllerConfig>
  readonly imageSources: ImageSources
}

/** Whatever counts wakes the one key. */
export function inputsOf(caches: ImageConfigCaches, key: string): Input[] {
  const { pools, machineConfigs, controllerConfigs, imageSources } = caches
  const followed = <T extends KubeObject>(
    resource: string,
    informer: Cache<T>,
    said: (object: Readonly<T>) => unknown,
  ): Input => input({ resource, informer, keys: (change) => (isNews(change, said) ? [key] : []) })
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
    followed('ControllerConfig', controllerConfigs, saidOfTemplates),
    input({
      resource: 'MachineConfig',
      informer: machineConfigs,
      keys: ({ object }) => (isOfInterest(object) ? [key] : []),
    }),
  ]
}

/** Ours, under names of today and of old releases, and what templates made. */
const isOfInterest = (machineConfig: Readonly<MachineConfig>): boolean =>
  /^99-.+-registries$/.test(machineConfig.metadata.name) ||
  owningControllerConfig(machineConfig) !== undefined
