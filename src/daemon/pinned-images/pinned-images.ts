import { names } from '../../api/names.ts'
import { nodePaths } from '../../api/node-paths.ts'
import type { Clock } from '@machinist/core/clock'
import { sameJson } from '@machinist/core/encoding/json'
import type { Logger } from '@machinist/core/log'
import type { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import type { KubeObject } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Controller, Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { ControllerRunner } from '@machinist/kube/controller/controller-runner'
import { settled } from '@machinist/kube/controller/outcome'
import type { Informer } from '@machinist/kube/informer/informer'
import type { OwnNode } from '../node/own-node.ts'
import type { Host, HostFiles } from '../host/host.ts'
import type { PinnedImagesLane } from './lane.ts'
import type { DesiredImages } from './desired-images.ts'
import { desiredImagesOf } from './desired-images.ts'

export interface PinnedImagesSettings {
  /** Bytes that stay free on the disk; 16 GiB by default. */
  readonly keepFreeBytes?: number
  /** Period over which the nodes of a cluster spread their reads of a change; 10 seconds by default. */
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
 * Keeps the pinned images of the pool on the node. It runs beside the two lanes, and neither waits for it. The lane is imported
 * when it is needed first, because most nodes pin nothing.
 */
export async function runPinnedImages(
  options: PinnedImagesOptions,
  node: OwnNode,
  config: Informer<KubeObject>,
  signal: AbortSignal,
): Promise<void> {
  const log = options.log.with({ lane: 'pinned-images' })
  const desired = (): DesiredImages | undefined => desiredImagesOf(node.view(), config.get(own))
  let known: DesiredImages | undefined
  const isChanged = (): boolean => {
    const before = known
    known = desired()
    return !sameJson(before, known)
  }
  let lane: PinnedImagesLane | undefined
  const controller: Controller = {
    name: 'node-pinned-images',
    inputs: [
      desiredInput('Node', node.informer, isChanged),
      desiredInput('ControllerConfig', config, isChanged),
    ],
    outputs: ['MachineConfigNode'],
    async reconcile() {
      const images = desired()
      if (!images) return settled
      if (!lane && images.digest === undefined && !(await isPinning(options.host.files))) {
        return settled
      }
      if (!lane) {
        const { openLane } = await import('./open-lane.ts')
        lane = openLane({ ...options, ...options.pinnedImages, log, node, desired, signal })
      }
      return lane.reconcile(images)
    },
  }
  await new ControllerRunner(controller, { ...options, log }).run(signal)
}

/** Whether this or a previous daemon, such as MCO's, has pinned images. */
async function isPinning(files: HostFiles): Promise<boolean> {
  for (const path of [nodePaths.pinnedImagesNotes, nodePaths.pinnedImages]) {
    if ((await files.stat(path)) !== undefined) return true
  }
  return false
}

const desiredInput = <T extends KubeObject>(
  resource: string,
  informer: Informer<T>,
  isChanged: () => boolean,
): Input => input({ resource, informer, keys: () => (isChanged() ? [own.name] : []) })
