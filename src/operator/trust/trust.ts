import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { names } from '../../api/names.ts'
import type { ControllerConfig } from '../../api/resources.ts'
import { controllerConfigs } from '../../api/resources.ts'
import type { Clock } from '@machinist/core/clock'
import { isOwnMistake, messageOf, Transient } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import type { KubeObject } from '@machinist/core/resource'
import { referenceTo } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { pausedController } from '@machinist/kube/controller/paused-controller'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { ifThere } from '@machinist/kube/failure'
import type { Informer } from '@machinist/kube/informer/informer'
import { clusterObjectInputs } from '../inputs/cluster-objects.ts'
import { patientInput } from '../inputs/patient-input.ts'
import { InputShow } from '../inputs/show-inputs.ts'
import { writeControllerConfig } from '../inputs/write-controller-config.ts'
import { whileOtherOperator } from '../other-operator/other-operator.ts'
import { targetOf, withoutQuotes, writeConfigMap } from './act.ts'
import type { TrustCaches } from './caches.ts'
import { trustCaches } from './caches.ts'
import type { TrustDecision } from './decide.ts'
import { decide } from './decide.ts'
import { gather } from './gather.ts'
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
  /** How long the API server's CAs must not have changed before nodes are given them; a minute unless said. */
  readonly settleMs?: number
}

/** A loop of its own, with informers of its own: nothing else can hold it up. Whoever runs it starts both. */
export interface TrustLoop {
  readonly controller: Controller
  readonly informers: readonly Pick<Informer<KubeObject>, 'start'>[]
}

/** Sources of trust → ControllerConfig, from which every node takes it. The key is the ControllerConfig's name. */
export function trustController(options: TrustOptions): TrustLoop {
  const informers: Pick<Informer<KubeObject>, 'start'>[] = []
  const caches = trustCaches(options, (informer) => void informers.push(informer))
  const controller = new TrustController(options, caches)
  const pause = whileOtherOperator(caches.controllerConfigs)
  return { controller: pausedController(controller, pause), informers }
}

/** So long the ControllerConfig waits for kubeconfig-data to be seen, the first time; its event comes sooner. */
const firstSightMs = 1000

/** The reason of an event: an input is no longer given, on purpose. */
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
  #hasBegun = false
  readonly #show: InputShow
  readonly #measure: (reports: readonly TrustReport[]) => void

  constructor(options: TrustOptions, caches: TrustCaches) {
    this.#options = options
    this.#caches = caches
    this.#payloads = new Payloads(options.client)
    this.#show = new InputShow(options)
    this.#measure = trustMetrics(options.metrics)
    const { clock } = options
    const key = names.controllerConfig
    const keys = (): string[] => [key]
    this.inputs = [
      input({ resource: controllerConfigs.kind, informer: caches.controllerConfigs }),
      ...caches.sources.map(({ resource, informer }) =>
        patientInput({ resource: resource.kind, informer, keys, clock }),
      ),
      patientInput({
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
    const facts = await gather(given, failures)
    const decision = decide(facts)
    this.#measure(decision.reports)
    const begins = await this.#begins(controllerConfig, decision, signal)
    if (begins) return requeueAfter(firstSightMs)
    // One that fails, or takes its time, is no reason for the others not to be done.
    const [written] = await Promise.all([
      this.#hand(controllerConfig, decision, log, signal, failures),
      this.#store(decision.kubeconfigData, signal, failures),
      this.#store(decision.mergedCAs, signal, failures),
    ])
    if (written) await this.#tell(written, decision, signal, failures)
    const { lookAgainMs } = decision
    if (failures.length > 0) throw unfinished(failures[0], lookAgainMs)
    return lookAgainMs === undefined ? settled : requeueAfter(lookAgainMs)
  }

  /**
   * The digest of the API server's CAs is that of kubeconfig-data. Where both are new, kubeconfig-data comes first, so that
   * the ControllerConfig is written once and not twice. Done once: whatever then goes wrong holds up nothing.
   */
  async #begins(
    stored: Readonly<ControllerConfig> | undefined,
    { controllerConfig: change, kubeconfigData }: TrustDecision,
    signal: AbortSignal,
  ): Promise<boolean> {
    const said = stored?.metadata.annotations?.[ownControllerConfigAnnotations.trustDigests]
    const isFirst = !this.#hasBegun && said === undefined && change !== undefined
    this.#hasBegun = true
    if (!isFirst || !kubeconfigData) return false
    const failures: unknown[] = []
    await this.#store(kubeconfigData, signal, failures)
    return failures.length === 0
  }

  #newest(signal: AbortSignal): Promise<Readonly<ControllerConfig> | undefined> {
    const key = { name: names.controllerConfig }
    const cached = this.#caches.controllerConfigs.get(key)
    return this.#written.orNewer(cached, () =>
      ifThere(this.#options.client.get(controllerConfigs, key, { signal })),
    )
  }

  /** The ControllerConfig as it is afterwards, if there is one. */
  async #hand(
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
      log.info('handed trust on', { resourceVersion: written.metadata.resourceVersion })
      for (const report of reports) this.#tellRemoved(written, report)
      return written
    } catch (error) {
      this.#written.forget()
      failures.push(withoutQuotes(`ControllerConfig ${names.controllerConfig}`, error))
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
      failures.push(withoutQuotes(targetOf(write), error))
    }
  }

  async #tell(
    controllerConfig: Readonly<ControllerConfig>,
    { reports }: TrustDecision,
    signal: AbortSignal,
    failures: unknown[],
  ): Promise<void> {
    try {
      await this.#show.show(controllerConfig, reports, signal)
    } catch (error) {
      failures.push(
        withoutQuotes(`the status of ControllerConfig ${names.controllerConfig}`, error),
      )
    }
  }

  #tellRemoved(
    controllerConfig: Readonly<ControllerConfig>,
    { input: name, state }: TrustReport,
  ): void {
    if (state !== 'removed') return
    const message = `the input ${name} is no longer given, and nodes let go of what it gave`
    const about = referenceTo(controllerConfigs, controllerConfig)
    this.#options.events.normal(about, removedReason, message)
  }
}

/** What fails again and again is tried ever more seldom; what is due by then is not to wait for it. */
function unfinished(failure: unknown, withinMs: number | undefined): Error {
  if (isOwnMistake(failure)) return failure
  const reason = failure instanceof Transient ? failure.reason : 'Unfinished'
  return new Transient(reason, messageOf(failure), { cause: failure, withinMs })
}
