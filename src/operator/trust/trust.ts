import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { names } from '../../api/names.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import { controllerConfigs } from '../../api/kinds/resources.ts'
import type { Clock } from '@machinist/core/clock'
import { isProgrammingError, messageOf, Transient } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import type { KubeObject } from '@machinist/core/objects/resource'
import { referenceTo } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { pausedController } from '@machinist/kube/controller/paused-controller'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { ignoreNotFound } from '@machinist/kube/failure'
import type { Informer } from '@machinist/kube/informer/informer'
import { clusterObjectInputs } from '../inputs/cluster-objects.ts'
import { independentInput } from '../inputs/independent-input.ts'
import { InputReporter } from '../inputs/report-inputs.ts'
import { writeControllerConfig } from '../inputs/write-controller-config.ts'
import { whileOtherOperator } from '../other-operator/other-operator.ts'
import { targetOf, toTransient, writeConfigMap } from './act.ts'
import type { TrustCaches } from './caches.ts'
import { trustCaches } from './caches.ts'
import type { TrustDecision } from './decide.ts'
import { decideTrust } from './decide.ts'
import { gatherTrust } from './gather.ts'
import { LastGood } from './last-good.ts'
import { LastWritten } from './last-written.ts'
import { Payloads } from './payloads.ts'
import type { TrustReport } from './reports.ts'
import { trustMetrics } from './trust-metrics.ts'

export interface TrustOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
  readonly events: EventRecorder
  /** How long the API server's CAs must be unchanged before they are published to nodes; one minute by default. */
  readonly settleMs?: number
}

/** The trust controller with its own informers, so that nothing else can block it. The caller starts both. */
export interface TrustLoop {
  readonly controller: Controller
  readonly informers: readonly Pick<Informer<KubeObject>, 'start'>[]
}

/** Trust sources → ControllerConfig, which every node reads. The key is the name of the ControllerConfig. */
export function trustController(options: TrustOptions): TrustLoop {
  const informers: Pick<Informer<KubeObject>, 'start'>[] = []
  const caches = trustCaches(options, (informer) => void informers.push(informer))
  const controller = new TrustController(options, caches)
  const pause = whileOtherOperator(caches.controllerConfigs)
  return { controller: pausedController(controller, pause), informers }
}

/** How long the first write of the ControllerConfig waits for kubeconfig-data in the cache; usually its event arrives sooner. */
const firstWriteDelayMs = 1000

/** The reason of the event for an input that a user removed on purpose. */
const removedReason = 'InputRemoved'

class TrustController implements Controller {
  readonly name = 'trust'
  readonly outputs = ['ControllerConfig', 'ConfigMap']
  readonly inputs: readonly Input[]
  readonly timeoutMs = 120_000
  readonly #options: TrustOptions
  readonly #caches: TrustCaches
  readonly #payloads: Payloads
  readonly #written = new LastWritten<ControllerConfig>()
  readonly #lastGood = new LastGood()
  #hasStarted = false
  readonly #reporter: InputReporter
  readonly #measure: (reports: readonly TrustReport[]) => void

  constructor(options: TrustOptions, caches: TrustCaches) {
    this.#options = options
    this.#caches = caches
    this.#payloads = new Payloads(options.client)
    this.#reporter = new InputReporter(options)
    this.#measure = trustMetrics(options.metrics)
    const { clock } = options
    const key = names.controllerConfig
    const keys = (): string[] => [key]
    this.inputs = [
      input({ resource: controllerConfigs.kind, informer: caches.controllerConfigs }),
      ...caches.sources.map(({ resource, informer }) =>
        independentInput({ resource: resource.kind, informer, keys, clock }),
      ),
      independentInput({
        resource: 'ClusterOperator',
        informer: caches.registryOperators,
        keys,
        clock,
      }),
      ...clusterObjectInputs(
        caches.cluster,
        ['image', 'proxy', 'infrastructure', 'dns'],
        key,
        clock,
      ),
    ]
  }

  async reconcile(_key: string, { log, signal }: ReconcileContext): Promise<Outcome> {
    const failures: unknown[] = []
    const { clock, settleMs } = this.#options
    const now = clock.now()
    const caches = this.#caches
    const payloads = this.#payloads
    const controllerConfig = await this.#newest(signal)
    const lastGood = this.#lastGood.with(controllerConfig)
    const settle = settleMs !== undefined && { settleMs }
    const given = { caches, payloads, controllerConfig, lastGood, now, ...settle, signal }
    const facts = await gatherTrust(given, failures)
    const decision = decideTrust(facts)
    this.#measure(decision.reports)
    const isWaiting = await this.#writeKubeconfigDataFirst(controllerConfig, decision, signal)
    if (isWaiting) return requeueAfter(firstWriteDelayMs)
    // The writes are independent: a failing or slow one does not block the others.
    const [written] = await Promise.all([
      this.#writeControllerConfig(controllerConfig, decision, log, signal, failures),
      this.#store(decision.kubeconfigData, signal, failures),
      this.#store(decision.mergedCAs, signal, failures),
    ])
    if (written) await this.#report(written, decision, signal, failures)
    const { requeueAfterMs } = decision
    if (failures.length > 0) throw unfinished(failures[0], requeueAfterMs)
    return requeueAfterMs === undefined ? settled : requeueAfter(requeueAfterMs)
  }

  /**
   * The digest of the API server's CAs is computed from kubeconfig-data. If both objects are new, kubeconfig-data is written
   * first, so that the ControllerConfig is written once. Tried once: a failure blocks nothing.
   */
  async #writeKubeconfigDataFirst(
    stored: Readonly<ControllerConfig> | undefined,
    { controllerConfig: change, kubeconfigData }: TrustDecision,
    signal: AbortSignal,
  ): Promise<boolean> {
    const digests = stored?.metadata.annotations?.[ownControllerConfigAnnotations.trustDigests]
    const isFirst = !this.#hasStarted && digests === undefined && change !== undefined
    this.#hasStarted = true
    if (!isFirst || !kubeconfigData) return false
    const failures: unknown[] = []
    await this.#store(kubeconfigData, signal, failures)
    return failures.length === 0
  }

  #newest(signal: AbortSignal): Promise<Readonly<ControllerConfig> | undefined> {
    const key = { name: names.controllerConfig }
    const cached = this.#caches.controllerConfigs.get(key)
    return this.#written.orNewer(cached, () =>
      ignoreNotFound(this.#options.client.get(controllerConfigs, key, { signal })),
    )
  }

  /** Returns the current ControllerConfig, if there is one. */
  async #writeControllerConfig(
    stored: Readonly<ControllerConfig> | undefined,
    { controllerConfig: change, reports }: TrustDecision,
    log: Logger,
    signal: AbortSignal,
    failures: unknown[],
  ): Promise<Readonly<ControllerConfig> | undefined> {
    if (!change) return stored
    try {
      const written = await writeControllerConfig(this.#options.client, stored, change, signal)
      this.#written.keep(written)
      log.info('wrote the trust fields of the ControllerConfig', {
        resourceVersion: written.metadata.resourceVersion,
      })
      for (const report of reports) this.#emitRemoved(written, report)
      return written
    } catch (error) {
      this.#written.forget()
      failures.push(toTransient(`ControllerConfig ${names.controllerConfig}`, error))
      return stored
    }
  }

  async #store(
    write: TrustDecision['kubeconfigData'],
    signal: AbortSignal,
    failures: unknown[],
  ): Promise<void> {
    if (!write) return
    try {
      await writeConfigMap(write, { client: this.#options.client, signal })
    } catch (error) {
      failures.push(toTransient(targetOf(write), error))
    }
  }

  async #report(
    controllerConfig: Readonly<ControllerConfig>,
    { reports }: TrustDecision,
    signal: AbortSignal,
    failures: unknown[],
  ): Promise<void> {
    try {
      await this.#reporter.report(controllerConfig, reports, signal)
    } catch (error) {
      failures.push(toTransient(`the status of ControllerConfig ${names.controllerConfig}`, error))
    }
  }

  #emitRemoved(
    controllerConfig: Readonly<ControllerConfig>,
    { input: name, state }: TrustReport,
  ): void {
    if (state !== 'removed') return
    const message = `input ${name} was removed on purpose; nodes remove its content`
    const about = referenceTo(controllerConfigs, controllerConfig)
    this.#options.events.normal(about, removedReason, message)
  }
}

/** Retries back off, but not beyond the next time at which the decision may change. */
function unfinished(failure: unknown, withinMs: number | undefined): Error {
  if (isProgrammingError(failure)) return failure
  const reason = failure instanceof Transient ? failure.reason : 'Unfinished'
  return new Transient(reason, messageOf(failure), { cause: failure, withinMs })
}
