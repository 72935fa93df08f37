import type { KubeObject } from '@machinist/core/objects/resource'
import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { Informer } from '@machinist/kube/informer/informer'
import { names } from '../../api/names.ts'
import type { Host } from '../host/host.ts'
import type { OwnNode } from '../node/own-node.ts'
import { desiredImagesOf } from './desired-images.ts'
import type { PinnedImagesSettings } from './pinned-images.ts'
import { nodePinnedImagesController } from './pinned-images.ts'

/** The machine of the pinned images. */
export interface PinnedImagesMachine {
  readonly node: OwnNode
  readonly host: Host
  /** The metadata of the ControllerConfig. */
  readonly config: Informer<KubeObject>
  /** Aborts when the daemon stops. */
  readonly stop: AbortSignal
}

/** Creates the pinned images of a daemon. */
export function openPinnedImages(
  context: ControllerContext,
  { node, host, config, stop }: PinnedImagesMachine,
  settings: PinnedImagesSettings = {},
): Controller {
  const caches = { node: node.informer, config }
  const parts = {
    host,
    desired: () => desiredImagesOf(node.view(), config.get({ name: names.controllerConfig })),
    openTools: async () => (await import('./cluster-tools.ts')).clusterTools(context, node),
    stop,
  }
  return nodePinnedImagesController(context, caches, parts, settings)
}
