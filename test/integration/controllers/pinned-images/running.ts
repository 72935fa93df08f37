import * as api from '../../../../src/api/resources.ts'
import { announceController } from '../../../../src/controllers/pinned-images/announce.ts'
import { pinnedImagesController } from '../../../../src/controllers/pinned-images/pinned-images.ts'
import type { KubeClient } from '@machinist/kube/client'
import { nodes } from '@machinist/kube/kinds/core'
import { RunningControllers } from '../../../support/running-controllers.ts'

/** Both controllers of pinned images at work. */
export function runPinnedImagesControllers(client: KubeClient): RunningControllers {
  return new RunningControllers(client, ({ follow, ...given }) => {
    const caches = {
      pools: follow(api.machineConfigPools),
      nodes: follow(nodes),
      machineConfigNodes: follow(api.machineConfigNodes),
      pinnedImageSets: follow(api.pinnedImageSets),
      controllerConfigs: follow(api.controllerConfigs),
    }
    return [
      pinnedImagesController({ ...given, caches, batchMs: 20 }),
      announceController({ ...given, caches }),
    ]
  })
}
