import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import type { Random } from '../base/random.ts'
import type { KubeClient } from '../kube/client.ts'
import type { ControllerSet } from '../kube/controller/controller-set.ts'
import { runControllerSet } from '../kube/controller/controller-set.ts'
import type { Chance } from '../pki/issue.ts'
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
