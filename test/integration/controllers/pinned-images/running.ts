import type { KubeClient } from '@machinist/kube/client/client'
import { nodes } from '@machinist/kube/kinds/core'
import * as api from '../../../../src/api/kinds/resources.ts'
import { pinnedImageDigestsController } from '../../../../src/controllers/pinned-image-digests/pinned-image-digests.ts'
import { pinnedImagesController } from '../../../../src/controllers/pinned-images/pinned-images.ts'
import { RunningControllers } from '../../../support/running-controllers.ts'

/** Runs both controllers of pinned images. */
export function runPinnedImagesControllers(client: KubeClient): RunningControllers {
  return new RunningControllers(client, (given) => {
    const { follow } = given
    const caches = {
      pools: follow(api.machineConfigPools),
      nodes: follow(nodes),
      machineConfigNodes: follow(api.machineConfigNodes),
      pinnedImageSets: follow(api.pinnedImageSets),
      controllerConfigs: follow(api.controllerConfigs),
    }
    return [
      pinnedImagesController(given, caches, { batchMs: 20 }),
      pinnedImageDigestsController(given, caches),
    ]
  })
}
