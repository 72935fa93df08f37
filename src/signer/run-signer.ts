import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import type { KubeClient } from '@machinist/kube/client'
import type { ControllerSet } from '@machinist/kube/controller/controller-set'
import { runControllerSet } from '@machinist/kube/controller/controller-set'
import type { Chance } from '@machinist/pki/issue'
import { followNodes } from './node-cache.ts'
import { requestsLoop } from './requests/loop.ts'
import { rotationCaches } from './rotation/caches.ts'
import { rotationController } from './rotation/rotation.ts'

export interface SignerOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
  /** Whether kubelets' requests for certificates are approved; they are, except on OpenShift, unless said. */
  readonly approveRequests?: boolean
  /** Where keys and serial numbers come from; nobody can foresee them unless said. */
  readonly chance?: Chance
  /** Where this runs, as events tell it: the name of the pod. */
  readonly instance?: string
  /** How long what is under way may go on after the stop. */
  readonly stopGraceMs?: number
  /** Called when every loop knows the cluster and works. */
  readonly ready?: () => void
}

/** Who tells, in events. */
const component = 'machinist-signer'

/** Runs the signer until the signal aborts, and resolves when it has stopped. */
export async function runSigner(options: SignerOptions, signal: AbortSignal): Promise<void> {
  const controllers: ControllerSet['controllers'] = (events, keep, metrics) => {
    const given = { ...options, metrics }
    const nodes = followNodes(given, keep)
    return [
      rotationController({ ...given, events, caches: rotationCaches(given, nodes, keep) }),
      requestsLoop({ ...given, events, nodes }, keep),
    ]
  }
  await runControllerSet({ ...options, component, controllers }, signal)
}
