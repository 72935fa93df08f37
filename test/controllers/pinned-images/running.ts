import * as api from '../../../src/api/resources.ts'
import { systemClock } from '../../../src/base/clock.ts'
import { silentLogger } from '../../../src/base/log.ts'
import { Metrics } from '../../../src/base/metrics.ts'
import { seededRandom } from '../../../src/base/random.ts'
import type { KubeObject, Resource } from '../../../src/base/resource.ts'
import { announceController } from '../../../src/controllers/pinned-images/announce.ts'
import { pinnedImagesController } from '../../../src/controllers/pinned-images/pinned-images.ts'
import type { KubeClient } from '../../../src/kube/client.ts'
import { ControllerRunner } from '../../../src/kube/controller/controller-runner.ts'
import { Informer } from '../../../src/kube/informer/informer.ts'
import { nodes } from '../../../src/kube/kinds/core.ts'

export interface Running {
  readonly metrics: Metrics
  stop(): Promise<void>
}

/** Both controllers of pinned images at work. */
export function runPinnedImagesControllers(client: KubeClient): Running {
  const stop = new AbortController()
  const running: Promise<unknown>[] = []
  const metrics = new Metrics()
  const tools = { clock: systemClock, random: seededRandom(7), log: silentLogger, metrics }
  const follow = <T extends KubeObject>(place: Resource<T>): Informer<T> => {
    const source = client.listWatch(place)
    const informer = new Informer<T>({ ...tools, resource: place.plural, source })
    running.push(informer.start(stop.signal))
    return informer
  }
  const caches = {
    pools: follow(api.machineConfigPools),
    nodes: follow(nodes),
    machineConfigNodes: follow(api.machineConfigNodes),
    pinnedImageSets: follow(api.pinnedImageSets),
    controllerConfigs: follow(api.controllerConfigs),
  }
  const controllers = [
    pinnedImagesController({ client, caches, clock: systemClock, metrics, batchMs: 20 }),
    announceController({ client, caches }),
  ]
  for (const each of controllers) {
    running.push(new ControllerRunner(each, tools).run(stop.signal))
  }
  return {
    metrics,
    async stop() {
      stop.abort()
      await Promise.all(running)
    },
  }
}
