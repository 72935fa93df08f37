import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { ControllerSet } from '@machinist/kube/controller/controller-set'
import { runControllerSet } from '@machinist/kube/controller/controller-set'
import type { IssuanceRandom } from '@machinist/pki/issue'
import { nodeInformer } from './nodes/node-cache.ts'
import { optionalRequestsController } from './requests/optional-controller.ts'
import { rotationCaches } from './rotation/caches.ts'
import { rotationController } from './rotation/rotation.ts'

export interface SignerOptions extends Omit<ControllerContext, 'events'> {
  /** Whether to approve certificate requests of kubelets; by default, except on OpenShift. */
  readonly approveRequests?: boolean
  /** Source of keys and serial numbers; cryptographically random by default. */
  readonly chance?: IssuanceRandom
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
  const controllers: ControllerSet['controllers'] = (context, keep) => {
    const given = { ...options, ...context }
    const nodes = nodeInformer(given, keep)
    return [
      rotationController({ ...given, caches: rotationCaches(given, nodes, keep) }),
      optionalRequestsController({ ...given, nodes }, keep),
    ]
  }
  await runControllerSet({ ...options, component, controllers }, signal)
}
