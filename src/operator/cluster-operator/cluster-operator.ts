import { names, namespaces } from '../../api/names.ts'
import type { ClusterOperatorStatus } from '../../api/openshift-config.ts'
import { clusterOperators } from '../../api/openshift-config.ts'
import type { Clock } from '@machinist/core/clock'
import type { Gauge, Metrics } from '@machinist/core/metrics'
import { referenceTo } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { timestamp } from '@machinist/core/timestamp'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import type { StatusWrite } from './act.ts'
import { writeStatus } from './act.ts'
import type { ClusterOperatorCaches } from './caches.ts'
import type { ClusterOperatorFacts } from './decide.ts'
import { statusFor } from './decide.ts'
import type { GatheredClusterOperatorFacts } from './gather.ts'
import { gatherClusterOperator } from './gather.ts'
import { inputsOf } from './inputs.ts'
import type { Task, TaskReports } from './tasks.ts'
import { tasks } from './tasks.ts'
import { eventsFor } from './report.ts'

export interface ClusterOperatorOptions {
  readonly client: KubeClient
  readonly informers: ClusterOperatorCaches
  /** Whether the cluster serves the kind. */
  readonly isServed: () => boolean
  readonly events: EventRecorder
  readonly clock: Clock
  readonly metrics: Metrics
  /** Failures of other controllers of this process. */
  readonly reports: TaskReports
  /** The version of the release, as in the ControllerConfig: `4.16.0`. */
  readonly version: string
  /** The controller build of this release. */
  readonly build: string
  /** The image of the operator, if it is known. */
  readonly operatorImage?: string
  /** The namespace of the operator. */
  readonly namespace?: string
}

/** How often to check whether the cluster serves the kind. */
const notServedMs = 60_000

/** Reports the health of the operator in ClusterOperator `machine-config`, which OpenShift's upgrades read. The key is its name. */
export function clusterOperatorController(options: ClusterOperatorOptions): Controller {
  return new ClusterOperatorController(options)
}

class ClusterOperatorController implements Controller {
  readonly name = 'cluster-operator'
  readonly outputs = [clusterOperators.kind]
  readonly inputs: readonly Input[]
  readonly #options: ClusterOperatorOptions
  readonly #failing: Gauge<'task'>

  constructor(options: ClusterOperatorOptions) {
    this.#options = options
    this.#failing = options.metrics.gauge({
      name: 'machinist_operator_task_failing',
      help: 'Whether a task of the operator fails and needs a user to act.',
      labels: ['task'],
    })
    this.inputs = inputsOf(options.informers, options.reports)
  }

  async reconcile(_: string, { log, signal }: ReconcileContext): Promise<Outcome> {
    const { clock, informers, isServed } = this.#options
    const nowMs = clock.now()
    const facts = this.#gather(nowMs)
    this.#measure(facts)
    const found = informers.clusterOperators.get(names.clusterOperator)
    if (!found && !isServed()) return requeueAfter(notServedMs)

    const result = await this.#report(facts, timestamp(nowMs), signal)
    if (result.type === 'notServed') return requeueAfter(notServedMs)
    if (result.type === 'written') {
      log.info('wrote the status of the ClusterOperator', {
        failing: facts.failures[0]?.task ?? 'nothing',
      })
    }
    const { required } = facts
    if (required.state !== 'waiting' || required.untilMs === undefined) return settled
    return requeueAfter(Math.max(required.untilMs - nowMs, 0))
  }

  #gather(nowMs: number): GatheredClusterOperatorFacts {
    const { informers, reports, version, build, operatorImage } = this.#options
    const namespace = this.#options.namespace ?? namespaces.operator
    const reported = reports.list()
    return gatherClusterOperator({
      informers,
      namespace,
      version,
      build,
      operatorImage,
      reported,
      nowMs,
    })
  }

  async #report(
    facts: ClusterOperatorFacts,
    now: string,
    signal: AbortSignal,
  ): Promise<StatusWrite> {
    const { client, events, informers } = this.#options
    const found = informers.clusterOperators.get(names.clusterOperator)
    const desired = (status: ClusterOperatorStatus | undefined): ClusterOperatorStatus =>
      statusFor(status, facts, now)
    const result = await writeStatus(found, desired, { client, signal })
    if (result.type !== 'written') return result
    const about = referenceTo(clusterOperators, result.object)
    for (const { type, reason, message } of eventsFor(result.before, result.object.status ?? {})) {
      events[type](about, reason, message)
    }
    return result
  }

  #measure({ failures }: ClusterOperatorFacts): void {
    const failing = new Set<Task>(failures.map(({ task }) => task))
    for (const task of tasks) this.#failing.set({ task }, failing.has(task) ? 1 : 0)
  }
}
