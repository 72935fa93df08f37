import type { KubeObject } from '@machinist/core/objects/resource'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import type { Informer } from '@machinist/kube/informer/informer'
import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import type {
  ControllerConfig,
  MachineConfigPool,
  PinnedImageSet,
} from '../../api/kinds/resources.ts'
import { names } from '../../api/names.ts'
import { pinnedImageSetVersionOf } from '../../api/pinned-images.ts'

/** The informers may be shared with other controllers. */
export interface PinnedImageDigestsCaches {
  readonly pools: Informer<MachineConfigPool>
  readonly pinnedImageSets: Informer<PinnedImageSet>
  readonly controllerConfigs: Informer<ControllerConfig>
}

/** Maps changes to the ControllerConfig. */
export function pinnedImageDigestsInputs(caches: PinnedImageDigestsCaches): Input[] {
  const inputOf = <T extends KubeObject>(
    resource: string,
    informer: Informer<T>,
    relevantFields: (object: Readonly<T>) => unknown,
  ): Input =>
    input({
      resource,
      informer,
      keys: (change) => (isRelevantChange(change, relevantFields) ? [names.controllerConfig] : []),
    })
  return [
    inputOf('MachineConfigPool', caches.pools, ({ metadata, spec }) => [
      metadata.deletionTimestamp,
      spec.pinnedImageSets,
    ]),
    inputOf('PinnedImageSet', caches.pinnedImageSets, pinnedImageSetVersionOf),
    inputOf('ControllerConfig', caches.controllerConfigs, ({ metadata }) => [
      metadata.uid,
      metadata.annotations?.[ownControllerConfigAnnotations.pinnedImages],
    ]),
  ]
}
