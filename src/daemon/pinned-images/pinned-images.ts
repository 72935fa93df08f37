import { names } from '../../api/names.ts'
import { nodePaths } from '../../api/node-paths.ts'
import type { Clock } from '../../base/clock.ts'
import { sameJson } from '../../base/json.ts'
import type { Logger } from '../../base/log.ts'
import type { Metrics } from '../../base/metrics.ts'
import type { Random } from '../../base/random.ts'
import type { KubeObject } from '../../base/resource.ts'
import type { KubeClient } from '../../kube/client.ts'
import type { Controller, Input } from '../../kube/controller/controller.ts'
import { input } from '../../kube/controller/controller.ts'
import { ControllerRunner } from '../../kube/controller/controller-runner.ts'
import { settled } from '../../kube/controller/outcome.ts'
import type { Informer } from '../../kube/informer/informer.ts'
import type { OwnNode } from '../follow/own-node.ts'
import type { Host, HostFiles } from '../host/host.ts'
import type { PinnedImagesLane } from './lane.ts'
import type { Wish } from './wish.ts'
import { wishOf } from './wish.ts'

export interface PinnedImagesSettings {
  /** How many bytes stay free whatever is pinned; 16 GiB. */
  readonly keepFreeBytes?: number
  /** Over which time the nodes of a cluster spread their reads of a change; 10 seconds. */
  readonly jitterMs?: number
}

export interface PinnedImagesOptions {
  readonly client: KubeClient
  readonly host: Host
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
  readonly pinnedImages?: PinnedImagesSettings
}

const own = { name: names.controllerConfig }

/**
 * Keeps the images on the node that its pool pins, beside the two lanes: nothing waits for it. What does the work is
 * loaded with the first thing to do: most nodes pin nothing.
 */
export async function runPinnedImages(
  options: PinnedImagesOptions,
  node: OwnNode,
  config: Informer<KubeObject>,
  signal: AbortSignal,
): Promise<void> {
  const log = options.log.with({ lane: 'pinned-images' })
  const wish = (): Wish | undefined => wishOf(node.view(), config.get(own))
  let seen: Wish | undefined
  const isNews = (): boolean => {
    const before = seen
    seen = wish()
    return !sameJson(before, seen)
  }
  let lane: PinnedImagesLane | undefined
  const controller: Controller = {
    name: 'node-pinned-images',
    inputs: [
      wishInput('Node', node.informer, isNews),
      wishInput('ControllerConfig', config, isNews),
    ],
    outputs: ['MachineConfigNode'],
    async reconcile() {
      const wanted = wish()
      if (!wanted) return settled
      if (!lane && wanted.digest === undefined && !(await isPinning(options.host.files))) {
        return settled
      }
      if (!lane) {
        const { openLane } = await import('./open-lane.ts')
        lane = openLane({ ...options, ...options.pinnedImages, log, node, wish, signal })
      }
      return lane.reconcile(wanted)
    },
  }
  await new ControllerRunner(controller, { ...options, log }).run(signal)
}

/** Whether anything was pinned before: by us, or by a daemon that was here before us. */
async function isPinning(files: HostFiles): Promise<boolean> {
  for (const path of [nodePaths.pinnedImagesNotes, nodePaths.pinnedImages]) {
    if ((await files.look(path)) !== undefined) return true
  }
  return false
}

/** One key for all: there is one node. */
const wishInput = <T extends KubeObject>(
  resource: string,
  informer: Informer<T>,
  isNews: () => boolean,
): Input => input({ resource, informer, keys: () => (isNews() ? [own.name] : []) })
