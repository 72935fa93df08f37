import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import type { KubeClient } from '../client/client.ts'
import type { EventRecorder } from '../events/recorder.ts'

/** The tools that every controller gets. */
export interface ControllerContext {
  /** Sends requests to the API server. */
  readonly client: KubeClient
  /** The only source of time, so that tests can use a virtual clock. */
  readonly clock: Clock
  /** The only source of randomness, so that tests can use a seed. */
  readonly random: Random
  readonly log: Logger
  /** Registers the metrics of the controller. */
  readonly metrics: Metrics
  /** Emits Kubernetes Events about objects. */
  readonly events: EventRecorder
}
