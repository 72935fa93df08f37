import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { ControllerSet, Startable } from '@machinist/kube/controller/controller-set'
import { runControllerSet } from '@machinist/kube/controller/controller-set'
import { nodeInformer } from './nodes/node-cache.ts'
import type { ApprovalSettings } from './requests/approval-enabled.ts'
import { optionalRequestsController } from './requests/optional-controller.ts'
import { rotationCaches } from './rotation/caches.ts'
import type { RotationSettings } from './rotation/rotation.ts'
import { rotationController } from './rotation/rotation.ts'

export interface SignerOptions
  extends Omit<ControllerContext, 'events'>, ApprovalSettings, RotationSettings {
  /** The reporting instance in events: the name of the pod. */
  readonly instance?: string
  /** How long reconciles in progress may continue after the stop. */
  readonly stopGraceMs?: number
  /** Called when all caches are synced and all controllers run. */
  readonly ready?: () => void
}

/** The reporting component in events. */
const component = 'machinist-signer'

/** Runs the signer until the signal aborts, and resolves when it has stopped. */
export async function runSigner(options: SignerOptions, signal: AbortSignal): Promise<void> {
  const controllers: ControllerSet['controllers'] = (context, keep) =>
    signerControllers(options, context, keep)
  await runControllerSet({ ...options, component, controllers }, signal)
}

/** All controllers of the signer, not running. */
export function signerControllers(
  settings: ApprovalSettings & RotationSettings,
  context: ControllerContext,
  keep: (informer: Startable) => void,
): Controller[] {
  const nodes = nodeInformer(context, keep)
  return [
    rotationController(context, rotationCaches(context, nodes, keep), settings),
    optionalRequestsController(context, nodes, keep, settings),
  ]
}
