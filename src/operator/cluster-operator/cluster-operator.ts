import { names, namespaces } from '../../api/names.ts'
import { clusterOperators } from '../../api/openshift-config.ts'
import type { Clock } from '@machinist/core/clock'
import type { Gauge, Metrics } from '@machinist/core/metrics'
import { referenceTo } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { timestamp } from '@machinist/core/timestamp'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import type { Shown } from './act.ts'
import { show } from './act.ts'
import type { ClusterOperatorInformers } from './caches.ts'
import type { Facts } from './decide.ts'
import { statusFor } from './decide.ts'
import type { Gathered } from './gather.ts'
import { gather } from './gather.ts'
import { inputsOf } from './inputs.ts'
import type { Task, TaskReports } from './tasks.ts'
import { tasks } from './tasks.ts'
import { eventsFor } from './telling.ts'

export interface ClusterOperatorOptions {
  readonly client: KubeClient
  readonly informers: ClusterOperatorInformers
  /** Whether the cluster has the kind, as whoever follows it knows. */
  readonly isServed: () => boolean
  readonly events: EventRecorder
  readonly clock: Clock
  readonly metrics: Metrics
  /** What other loops of this process cannot do. */
  readonly reports: TaskReports
  /** The version of the release, as ControllerConfig carries it: `4.16.0`. */
  readonly version: string
  /** Which build of the controllers belongs to it. */
  readonly build: string
  /** The image of this program, if it is known. */
  readonly operatorImage?: string
  /** Where we run. */
  readonly namespace?: string
}

/** How often to look whether the cluster has got the kind. */
const notServedMs = 60_000

/** Shows how the operator is, where OpenShift's upgrades look: ClusterOperator `machine-config`. The key is its name. */
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
      help: 'Whether a part of the operator cannot do its work without help.',
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

    const shown = await this.#show(facts, timestamp(nowMs), signal)
    if (shown.is === 'not served') return requeueAfter(notServedMs)
    if (shown.is === 'written') {
      log.info('showed how the operator is', { failing: facts.failures[0]?.task ?? 'nothing' })
    }
    const { required } = facts
    if (required.state !== 'waiting' || required.untilMs === undefined) return settled
    return requeueAfter(Math.max(required.untilMs - nowMs, 0))
  }

  #gather(nowMs: number): Gathered {
    const { informers, reports, version, build, operatorImage } = this.#options
    const namespace = this.#options.namespace ?? namespaces.operator
    const reported = reports.list()
    return gather({ informers, namespace, version, build, operatorImage, reported, nowMs })
  }

  async #show(facts: Facts, now: string, signal: AbortSignal): Promise<Shown> {
    const { client, events, informers } = this.#options
    const found = informers.clusterOperators.get(names.clusterOperator)
    const shown = await show(found, (status) => statusFor(status, facts, now), { client, signal })
    if (shown.is !== 'written') return shown
    const about = referenceTo(clusterOperators, shown.object)
    for (const { type, reason, message } of eventsFor(shown.before, shown.object.status ?? {})) {
      events[type](about, reason, message)
    }
    return shown
  }

  #measure({ failures }: Facts): void {
    const failing = new Set<Task>(failures.map(({ task }) => task))
    for (const task of tasks) this.#failing.set({ task }, failing.has(task) ? 1 : 0)
  }
}
