import { names } from '../../api/names.ts'
import { nodePaths } from '../../api/node-paths.ts'
import type { Clock } from '@machinist/core/clock'
import { sameJson } from '@machinist/core/json'
import type { Logger } from '@machinist/core/log'
import type { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import type { KubeObject } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import type { Controller, Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { ControllerRunner } from '@machinist/kube/controller/controller-runner'
import { settled } from '@machinist/kube/controller/outcome'
import type { Informer } from '@machinist/kube/informer/informer'
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
