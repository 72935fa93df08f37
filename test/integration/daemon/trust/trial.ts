import { Waiting } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import { silentLogger } from '@machinist/core/log'
import type { Random } from '@machinist/core/random'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { Trigger } from '@machinist/kube/controller/trigger'
import { annotations, ownControllerConfigAnnotations } from '../../../../src/api/annotations.ts'
import { emptyControllerConfigSpec } from '../../../../src/api/kinds/new-controller-config.ts'
import type { NodeTrustItem } from '../../../../src/api/kinds/node-trust.ts'
import type { ControllerConfig } from '../../../../src/api/kinds/resources.ts'
import type { TrustDigests } from '../../../../src/api/trust/digests.ts'
import { specDigests } from '../../../../src/api/trust/digests.ts'
import type { HostFiles } from '../../../../src/daemon/host/host.ts'
import type { MountedSecrets } from '../../../../src/daemon/host/files/mounted-secrets.ts'
import { noMountedSecrets } from '../../../../src/daemon/host/files/mounted-secrets.ts'
import { cloudCAItem, kubeletCAItem } from '../../../../src/daemon/trust/items/bundle-item.ts'
import type {
  ConfigSource,
  ObservedConfig,
} from '../../../../src/daemon/trust/desired/followed-config.ts'
import { observedIn } from '../../../../src/daemon/trust/desired/followed-config.ts'
import { DesiredTrustSource } from '../../../../src/daemon/trust/desired/desired-trust-source.ts'
import type { ItemHandler } from '../../../../src/daemon/trust/items/item.ts'
import type {
  TrustReport,
  TrustReporter,
} from '../../../../src/daemon/trust/report/status-reporter.ts'
import { Ledger } from '../../../../src/daemon/trust/items/ledger.ts'
import { trustLines } from '../../../../src/daemon/trust/report/node-trust.ts'
import { PullSecretItem } from '../../../../src/daemon/trust/items/pull-secret-item.ts'
import { RegistryItem } from '../../../../src/daemon/trust/items/registry-item.ts'
import { TrustMemory } from '../../../../src/daemon/trust/memory/memory.ts'
import { nodeTrustController } from '../../../../src/daemon/trust/trust.ts'
import { LaneView } from '../../../../src/daemon/trust/view/view.ts'
import { base64 } from './certificates.ts'

/** The content of a ControllerConfig as plain text. */
export interface Given {
  readonly kubelet?: string
  readonly cloud?: string
  /** By key: `registry.example..5000`. */
  readonly registries?: Readonly<Record<string, string>>
  readonly userRegistries?: Readonly<Record<string, string>>
  readonly pullSecret?: string
}

export function specOf(given: Given): ControllerConfig['spec'] {
  const bytes = (text: string | undefined): string | null => (text ? base64(text) : null)
  const bundles = (of: Readonly<Record<string, string>> = {}): { file: string; data: string }[] =>
    Object.entries(of).map(([file, text]) => ({ file, data: base64(text) }))
  return {
    ...emptyControllerConfigSpec,
    kubeAPIServerServingCAData: bytes(given.kubelet),
    cloudProviderCAData: bytes(given.cloud),
    imageRegistryBundleData: bundles(given.registries),
    imageRegistryBundleUserData: bundles(given.userRegistries),
    internalRegistryPullSecret: bytes(given.pullSecret),
  }
}

/** A ControllerConfig in memory that counts its reads. */
export class TrialConfig implements ConfigSource {
  #object: ControllerConfig | undefined
  #stale: ControllerConfig | undefined
  #version = 100
  uid = 'uid-of-the-controller-config'
  reads = 0
  failure: Error | undefined
  duringRead: () => void = () => {}

  /**
   * Writes payload and digests together, as the operator does. Without `hasDigests`, as MCO does; without `isComplete`, as the
   * operator does before its trust controller has run.
   */
  give(given: Given, { delivery = 'direct', hasDigests = true, isComplete = true } = {}): void {
    const spec = specOf(given)
    const digests = {
      [ownControllerConfigAnnotations.trustDigests]: JSON.stringify(specDigests(spec)),
    }
    const metadata = {
      name: 'machine-config-controller',
      uid: this.uid,
      generation: (this.#object?.metadata.generation ?? 0) + 1,
      resourceVersion: String(this.#version++),
      annotations: {
        [ownControllerConfigAnnotations.certificateDelivery]: delivery,
        ...(hasDigests && digests),
        ...(isComplete && { [annotations.generatedByVersion]: '4.16.0' }),
      },
    }
    this.#object = { metadata, spec }
  }

  annotate(key: keyof typeof annotations, value: string): void {
    this.#annotate(annotations[key], value)
  }

  /** Adds digests of other sources to the annotation. */
  setDigests(more: TrustDigests): void {
    const digests = { ...specDigests(this.#object!.spec), ...more }
    this.#annotate(ownControllerConfigAnnotations.trustDigests, JSON.stringify(digests))
  }

  #annotate(key: string, value: string): void {
    const { metadata, spec } = this.#object!
    const changed = { ...metadata.annotations, [key]: value }
    const version = { resourceVersion: String(this.#version++), annotations: changed }
    this.#object = { metadata: { ...metadata, ...version }, spec }
  }

  /** Hides later changes from the watch; reads return them. */
  holdWatch(): void {
    this.#stale = this.#object
  }

  releaseWatch(): void {
    this.#stale = undefined
  }

  remove(): void {
    this.#object = undefined
  }

  get version(): string {
    return this.#object!.metadata.resourceVersion!
  }

  observed(): ObservedConfig | undefined {
    const object = this.#stale ?? this.#object
    return object && this.observedIn(object)
  }

  observedIn(object: ControllerConfig): ObservedConfig {
    return observedIn(object, 'direct')
  }

  async fetchObserved(): Promise<ObservedConfig | undefined> {
    return this.#object && this.observedIn(this.#object)
  }

  async fetch(): Promise<ControllerConfig> {
    this.reads++
    this.duringRead()
    if (this.failure) throw this.failure
    if (!this.#object) throw new Error('the object does not exist')
    return this.#object
  }
}

interface TrialOptions {
  readonly files: HostFiles
  readonly config?: TrialConfig
  readonly mounted?: MountedSecrets
  readonly roles?: () => readonly string[] | undefined
  readonly jitterMs?: number
  readonly random?: Random
  readonly log?: Logger
  readonly more?: readonly ItemHandler[]
}

interface LaneParts extends Pick<ControllerContext, 'clock' | 'random' | 'log'> {
  readonly config: ConfigSource
  readonly ledger: Ledger
  readonly view: LaneView
  readonly source: DesiredTrustSource
  readonly memory: TrustMemory
  readonly handlers: readonly ItemHandler[]
  readonly reporter: TrustReporter
}

/** Nothing changes by itself: tests reconcile when they want. */
const still = {
  synced: () => Promise.resolve(true),
  subscribe: () => () => {},
  onRelist: () => () => {},
}

/** A trust lane without an API server. */
export class TrialLane {
  readonly #parts: LaneParts
  readonly #controller: Controller

  constructor(parts: LaneParts) {
    this.#parts = parts
    const watch = { arm: () => {}, subscribe: () => () => {} }
    const kubelet = new Trigger('kubelet')
    // The lane uses no other tools.
    this.#controller = nodeTrustController(
      parts as unknown as ControllerContext,
      { name: 'node', node: still, config: still },
      { ...parts, watch, kubelet, mounted: noMountedSecrets },
    )
  }

  /** A file at this path changed; without a path, any file may have changed. */
  changed(path?: string): void {
    this.#parts.memory.invalidateAt(path === undefined ? 'any' : [path], this.#parts.handlers)
  }

  /** Returns the requeue delay, or `settled`. */
  async reconcile(): Promise<number | 'settled'> {
    const { signal } = new AbortController()
    const context = { log: this.#parts.log, signal, retries: 0 }
    try {
      const outcome = await this.#controller.reconcile('node', context)
      return outcome.type === 'settled' ? 'settled' : outcome.afterMs
    } catch (error) {
      if (error instanceof Waiting) return error.afterMs
      throw error
    }
  }
}

/** A trust lane that records its reports. */
export class Trial implements TrustReporter {
  readonly clock = new VirtualClock()
  readonly config: TrialConfig
  readonly view: LaneView
  readonly #lane: TrialLane
  readonly reports: TrustReport[] = []
  failure: Error | undefined

  static async open({
    files,
    config = new TrialConfig(),
    ...options
  }: TrialOptions): Promise<Trial> {
    const { log = silentLogger } = options
    return new Trial(files, config, await Ledger.open(files, log), options)
  }

  private constructor(
    files: HostFiles,
    config: TrialConfig,
    ledger: Ledger,
    options: Omit<TrialOptions, 'files' | 'config'>,
  ) {
    const { mounted = noMountedSecrets, roles = () => ['worker'], jitterMs = 0 } = options
    const { log = silentLogger, more = [], random = seededRandom(1) } = options
    const { clock } = this
    const memory = new TrustMemory(clock, random, jitterMs)
    const source = new DesiredTrustSource({ config, clock, log })
    const start = { recorded: ledger.delivery, fallback: 'direct' } as const
    const view = new LaneView(start, { source, observed: memory.observed })
    this.config = config
    this.view = view
    const runExclusive = <T>(_: string, work: () => Promise<T>): Promise<T> => work()
    const item = { files, ledger, clock, runExclusive }
    const handlers = [
      kubeletCAItem(item),
      cloudCAItem(item),
      new RegistryItem(item),
      new PullSecretItem({ ...item, mounted, roles }),
      ...more,
    ]
    const parts = { config, source, handlers, ledger, reporter: this, view, memory }
    this.#lane = new TrialLane({ ...parts, clock, random, log })
  }

  /** A file at this path changed; without a path, any file may have changed. */
  changed(path?: string): void {
    this.#lane.changed(path)
  }

  forget(): void {}

  async report(report: TrustReport): Promise<void> {
    if (this.failure) throw this.failure
    this.reports.push(report)
  }

  /** Reconciles once; returns the requeue delay, or `settled`. */
  once(): Promise<number | 'settled'> {
    return this.#lane.reconcile()
  }

  /** Reconciles until it is settled, or until the time is over. */
  async settle(maxMs = 60_000): Promise<void> {
    const end = this.clock.elapsed() + maxMs
    for (;;) {
      const rest = await this.once()
      if (rest === 'settled' || this.clock.elapsed() + rest > end) return
      await this.clock.advance(rest)
    }
  }

  lines(): readonly NodeTrustItem[] {
    return trustLines(this.reports.at(-1)?.reports ?? [])
  }

  /** `name state` of each item, with its message. */
  states(): string[] {
    return this.lines().map(({ name, state, message }) =>
      message === undefined ? `${name} ${state}` : `${name} ${state}: ${message}`,
    )
  }

  /** The holdings that were written or removed, in order. */
  written(): string[] {
    return this.reports.flatMap(({ written }) => written)
  }
}
