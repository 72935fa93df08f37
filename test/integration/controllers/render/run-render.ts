import type { KubeClient } from '@machinist/kube/client/client'
import { nodes } from '@machinist/kube/kinds/core'
import * as api from '../../../../src/api/kinds/resources.ts'
import type { RenderSettings } from '../../../../src/controllers/render/render.ts'
import {
  machineConfigIndexes,
  machineConfigNodeIndexes,
  nodeIndexes,
} from '../../../../src/controllers/render/caches.ts'
import { renderController } from '../../../../src/controllers/render/render.ts'
import { RunningControllers } from '../../../support/running-controllers.ts'
import { maker } from '../support/cluster-objects.ts'

/** Runs a render controller. */
export function runRender(
  client: KubeClient,
  settings: Partial<RenderSettings> = {},
): RunningControllers {
  return new RunningControllers(client, ({ follow, ...context }) => {
    const caches = {
      pools: follow(api.machineConfigPools),
      machineConfigs: follow(api.machineConfigs, { indexes: machineConfigIndexes }),
      controllerConfigs: follow(api.controllerConfigs),
      kubeletConfigs: follow(api.kubeletConfigs),
      containerRuntimeConfigs: follow(api.containerRuntimeConfigs),
      machineConfigurations: follow(api.machineConfigurations),
      nodes: follow(nodes, { indexes: nodeIndexes }),
      machineConfigNodes: follow(api.machineConfigNodes, { indexes: machineConfigNodeIndexes }),
    }
    return renderController(context, caches, { maker, windowMs: 0, ...settings })
  })
}
