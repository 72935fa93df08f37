import { isLeftToOtherOperator } from '../api/maker.ts'
import type { Release } from '../api/validation/extensions.ts'
import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import type { KubeClient } from '@machinist/kube/client'
import type { ControllerSet } from '@machinist/kube/controller/controller-set'
import { runControllerSet } from '@machinist/kube/controller/controller-set'
import type { Controller } from '@machinist/kube/controller/controller'
import { pausedController } from '@machinist/kube/controller/paused-controller'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { controlPlaneController } from './control-plane/control-plane.ts'
import { credentialProvidersController } from './credential-providers/credential-providers.ts'
import { drainMetrics } from './drain/drain-metrics.ts'
import { drainController } from './drain/drain.ts'
import { uncordonController } from './drain/uncordon.ts'
import type { DrainWorld } from './drain/world.ts'
import { imageConfigController } from './image-config/image-config.ts'
import { kubeletConfigController } from './kubelet-config/kubelet-config.ts'
import { kubeletDefaultsController } from './kubelet-defaults/kubelet-defaults.ts'
import { heldCertificatesController } from './held-certificates/held-certificates.ts'
import { machineConfigNodeController } from './machine-config-node/machine-config-node.ts'
import type { Maker } from '../fleet/render/maker.ts'
import { WithheldTemplates } from './other-maker/withheld-templates.ts'
import { announceController } from './pinned-images/announce.ts'
import { pinnedImagesController } from './pinned-images/pinned-images.ts'
import { RenderController } from './render/render.ts'
import { roleLabelController } from './role-labels/role-labels.ts'
import { poolOf, selectionOf } from '../fleet/pools/pool-of-node.ts'
import { rolloutController } from './rollout/rollout.ts'
import { runtimeConfigController } from './runtime-config/runtime-config.ts'
import type { SharedCaches } from './shared-caches.ts'
import { sharedCaches } from './shared-caches.ts'
import type { TemplateSet } from './template/template-set.ts'
import { templateController } from './template/template.ts'
import { unselectedConfigsController } from './unselected-configs/unselected-configs.ts'

export interface ControllersOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
  readonly maker: Maker
  /** From which the MachineConfigs of the built-in roles are made; without them, nobody makes these. */
  readonly templates?: TemplateSet
  /** Where this runs, as events tell it: the name of the pod. */
  readonly instance?: string
  /** Where the operator's own pods are. */
  readonly namespace?: string
  /** Whose rules of order and merge hold; the newest unless told. */
  readonly release?: Release
  /** How many rendered configs of a pool stay although nobody refers to them. */
  readonly keepRendered?: number
  /** How long changes of configs are collected before they are rendered. */
  readonly renderWindowMs?: number
  /** How long a pool that changed waits for more changes. */
  readonly rolloutBatchMs?: number
  /** How long what is under way may go on after the stop. */
  readonly stopGraceMs?: number
  /** Called when every controller knows the cluster and works. */
  readonly ready?: () => void
}

/** Who tells, in events. */
const component = 'machineconfigcontroller'

/**
 * Runs every controller on one set of caches until the signal aborts, and resolves when all have stopped. Nothing of it
 * is kept: the next term of leadership starts from what the API says.
 */
export async function runControllers(
  options: ControllersOptions,
  signal: AbortSignal,
): Promise<void> {
  const controllers: ControllerSet['controllers'] = (events, keep, metrics) => {
    const given = { ...options, metrics }
    return allControllers(given, sharedCaches(given, keep), events)
  }
  await runControllerSet({ ...options, component, controllers }, signal)
}

function allControllers(
  options: ControllersOptions,
  caches: SharedCaches,
  events: EventRecorder,
): Controller[] {
  const { client, clock, metrics, maker, templates } = options
  const { release, keepRendered, renderWindowMs, rolloutBatchMs } = options
  const given = { client, clock, metrics, events }
  const withheld = new WithheldTemplates()
  const world: DrainWorld = {
    ...given,
    ...caches,
    metrics: drainMetrics(metrics),
    // There are few pools, and a drain asks once a step.
    poolOf: (node) => poolOf(node, caches.pools.list().map(selectionOf)),
  }
  const template = (): Controller[] => {
    if (!templates) return []
    const informers = { ...caches, pullSecrets: caches.pullSecrets() }
    return [templateController({ ...given, informers, maker, templates, withheld })]
  }
  const paused = [
    kubeletDefaultsController({ ...given, caches, maker }),
    kubeletConfigController({ ...given, caches, maker }),
    runtimeConfigController({ ...given, caches, maker }),
    imageConfigController({ ...given, caches, maker }),
    credentialProvidersController({ ...given, caches, maker }),
    pinnedImagesController({ ...given, caches }),
    announceController({ client, caches }),
    rolloutController({
      ...given,
      informers: caches,
      ...(release !== undefined && { release }),
      ...(rolloutBatchMs !== undefined && { batchMs: rolloutBatchMs }),
    }),
    drainController(world),
    uncordonController(world),
    machineConfigNodeController({ client, caches }),
    heldCertificatesController({ ...given, caches }),
    controlPlaneController({ client, caches }),
    roleLabelController({ client, caches, events }),
  ]
  const pause = {
    resource: 'ControllerConfig',
    informer: caches.controllerConfigs,
    isPaused: isLeftToOtherOperator,
  }
  return [
    ...paused.map((controller) => pausedController(controller, pause)),
    // On a cluster of another operator these two work out the plan that held pools show, and write nothing else.
    ...template(),
    new RenderController({
      ...given,
      caches,
      maker,
      withheld,
      ...(release !== undefined && { release }),
      ...(keepRendered !== undefined && { keep: keepRendered }),
      ...(renderWindowMs !== undefined && { windowMs: renderWindowMs }),
    }),
    unselectedConfigsController({ caches, events, clock }),
  ]
}
