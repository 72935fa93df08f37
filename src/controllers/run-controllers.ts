import type { Activity } from '@machinist/kube/controller/activity'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { ControllerSet } from '@machinist/kube/controller/controller-set'
import { runControllerSet } from '@machinist/kube/controller/controller-set'
import type { Controller } from '@machinist/kube/controller/controller'
import { pausedController } from '@machinist/kube/controller/paused-controller'
import { isManagedByOtherOperator } from '../api/maker.ts'
import type { Release } from '../api/validation/extensions.ts'
import type { Maker } from '../fleet/render/maker.ts'
import { poolOf, selectionOf } from '../fleet/pools/pool-of-node.ts'
import { controlPlaneController } from './control-plane/control-plane.ts'
import { credentialProvidersController } from './credential-providers/credential-providers.ts'
import { drainController } from './drain/drain.ts'
import type { DrainCaches } from './drain/inputs.ts'
import { imageConfigController } from './image-config/image-config.ts'
import { kubeletConfigController } from './kubelet-config/kubelet-config.ts'
import { kubeletDefaultsController } from './kubelet-defaults/kubelet-defaults.ts'
import { heldCertificatesController } from './held-certificates/held-certificates.ts'
import { machineConfigNodeController } from './machine-config-node/machine-config-node.ts'
import { WithheldTemplates } from './other-maker/withheld-templates.ts'
import { pinnedImageDigestsController } from './pinned-image-digests/pinned-image-digests.ts'
import { pinnedImagesController } from './pinned-images/pinned-images.ts'
import { renderController } from './render/render.ts'
import { roleLabelsController } from './role-labels/role-labels.ts'
import { rolloutController } from './rollout/rollout.ts'
import { runtimeConfigController } from './runtime-config/runtime-config.ts'
import type { SharedCaches } from './shared-caches.ts'
import { sharedCaches } from './shared-caches.ts'
import type { TemplateSet } from './template/template-set.ts'
import { templateController } from './template/template.ts'
import { uncordonController } from './uncordon/uncordon.ts'
import { unselectedConfigsController } from './unselected-configs/unselected-configs.ts'

export interface ControllersOptions extends Omit<ControllerContext, 'events'> {
  readonly maker: Maker
  /** The templates of the built-in roles; without them the template controller does not run. */
  readonly templates?: TemplateSet
  /** The name of the pod, for events. */
  readonly instance?: string
  /** The namespace of the operator's pods. */
  readonly namespace?: string
  /** The release whose merge rules apply; the newest by default. */
  readonly release?: Release
  /** How many unused rendered configs of a pool are kept. */
  readonly keepRendered?: number
  /** How long changes are batched before they are rendered. */
  readonly renderWindowMs?: number
  /** How long a changed pool waits for more changes. */
  readonly rolloutBatchMs?: number
  /** How long running reconciles may continue after the stop. */
  readonly stopGraceMs?: number
  /** Observes whether the controllers have work. */
  readonly activity?: Activity
  /** Called when all caches are synced and all controllers run. */
  readonly ready?: () => void
}

/** The reporting component of events. */
const component = 'machineconfigcontroller'

/**
 * Runs all controllers on one set of caches until the signal aborts, and resolves when all have stopped. No state is kept: the
 * next leader starts from the API.
 */
export async function runControllers(
  options: ControllersOptions,
  signal: AbortSignal,
): Promise<void> {
  const controllers: ControllerSet['controllers'] = (context, keep) => {
    const { namespace } = options
    const scope = namespace === undefined ? {} : { namespace }
    return clusterControllers(options, context, sharedCaches({ ...context, ...scope }, keep))
  }
  await runControllerSet({ ...options, component, controllers }, signal)
}

/** All controllers, not running. */
export function clusterControllers(
  options: Omit<ControllersOptions, keyof ControllerContext>,
  context: ControllerContext,
  caches: SharedCaches,
): Controller[] {
  const { maker, templates, release, keepRendered, renderWindowMs, rolloutBatchMs } = options
  const withheld = new WithheldTemplates()
  const drainCaches: DrainCaches = {
    ...caches,
    // There are few pools, and a drain calls it once per step.
    poolOf: (node) => poolOf(node, caches.pools.list().map(selectionOf)),
  }
  const template = (): Controller[] => {
    if (!templates) return []
    const templateCaches = { ...caches, pullSecrets: caches.pullSecrets() }
    return [templateController(context, templateCaches, { maker, templates, withheld })]
  }
  const paused = [
    kubeletDefaultsController(context, caches, { maker }),
    kubeletConfigController(context, caches, { maker }),
    runtimeConfigController(context, caches, { maker }),
    imageConfigController(context, caches, { maker }),
    credentialProvidersController(context, caches, { maker }),
    pinnedImagesController(context, caches),
    pinnedImageDigestsController(context, caches),
    rolloutController(context, caches, {
      ...(release !== undefined && { release }),
      ...(rolloutBatchMs !== undefined && { batchMs: rolloutBatchMs }),
    }),
    drainController(context, drainCaches),
    uncordonController(context, drainCaches),
    machineConfigNodeController(context, caches),
    heldCertificatesController(context, caches),
    controlPlaneController(context, caches),
    roleLabelsController(context, caches),
  ]
  const pause = {
    resource: 'ControllerConfig',
    informer: caches.controllerConfigs,
    isPaused: isManagedByOtherOperator,
  }
  return [
    ...paused.map((controller) => pausedController(controller, pause)),
    // On a cluster of another operator these two only compute the plan of held pools.
    ...template(),
    renderController(context, caches, {
      maker,
      withheld,
      ...(release !== undefined && { release }),
      ...(keepRendered !== undefined && { keep: keepRendered }),
      ...(renderWindowMs !== undefined && { windowMs: renderWindowMs }),
    }),
    unselectedConfigsController(context, caches),
  ]
}
