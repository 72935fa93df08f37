import { annotations, ownControllerConfigAnnotations } from '../../../../src/api/annotations.ts'
import { emptySpec } from '../../../../src/api/new-controller-config.ts'
import type { NodeTrustItem } from '../../../../src/api/kinds/node-trust.ts'
import type { ControllerConfig } from '../../../../src/api/resources.ts'
import type { TrustDigests } from '../../../../src/api/trust/digests.ts'
import { specDigests } from '../../../../src/api/trust/digests.ts'
import type { Logger } from '@machinist/core/log'
import { silentLogger } from '@machinist/core/log'
import type { Random } from '@machinist/core/random'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { HostFiles } from '../../../../src/daemon/host/host.ts'
import type { MountedSecrets } from '../../../../src/daemon/host/mounted-secrets.ts'
import { noMountedSecrets } from '../../../../src/daemon/host/mounted-secrets.ts'
import { cloudCAItem, kubeletCAItem } from '../../../../src/daemon/trust/bundle-item.ts'
import type { ConfigSource, SeenConfig } from '../../../../src/daemon/trust/followed-config.ts'
import { seenIn } from '../../../../src/daemon/trust/followed-config.ts'
import type { ItemHandler } from '../../../../src/daemon/trust/item.ts'
import type { Told, TrustTeller } from '../../../../src/daemon/trust/lane.ts'
import { TrustLane } from '../../../../src/daemon/trust/lane.ts'
import { Ledger } from '../../../../src/daemon/trust/ledger.ts'
import { trustLines } from '../../../../src/daemon/trust/node-trust.ts'
import { PullSecretItem } from '../../../../src/daemon/trust/pull-secret-item.ts'
import { RegistryItem } from '../../../../src/daemon/trust/registry-item.ts'
import { View } from '../../../../src/daemon/trust/view.ts'
import { base64 } from './certificates.ts'

/** What a cluster gives, as people write it. */
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
    ...emptySpec,
    kubeAPIServerServingCAData: bytes(given.kubelet),
    cloudProviderCAData: bytes(given.cloud),
    imageRegistryBundleData: bundles(given.registries),
    imageRegistryBundleUserData: bundles(given.userRegistries),
    internalRegistryPullSecret: bytes(given.pullSecret),
  }
}

/** The cluster's side, in memory: what is given, and what each look at it costs. */
export class TrialConfig implements ConfigSource {
  #object: ControllerConfig | undefined
  #stale: ControllerConfig | undefined
  #version = 100
  uid = 'uid-of-the-controller-config'
  reads = 0
  failure: Error | undefined
  duringRead: () => void = () => {}

  /**
   * As the operator does: payload and digests in one write. Without `saysDigests`, as one does that is not ours; without
   * `isWhole`, as ours does before its trust loop has come to it.
   */
  give(given: Given, { delivery = 'direct', saysDigests = true, isWhole = true } = {}): void {
    const spec = specOf(given)
    const said = {
      [ownControllerConfigAnnotations.trustDigests]: JSON.stringify(specDigests(spec)),
    }
    const metadata = {
      name: 'machine-config-controller',
      uid: this.uid,
      generation: (this.#object?.metadata.generation ?? 0) + 1,
      resourceVersion: String(this.#version++),
      annotations: {
        [ownControllerConfigAnnotations.certificateDelivery]: delivery,
        ...(saysDigests && said),
        ...(isWhole && { [annotations.generatedByVersion]: '4.16.0' }),
      },
    }
    this.#object = { metadata, spec }
  }

  annotate(key: keyof typeof annotations, value: string): void {
    this.#annotate(annotations[key], value)
  }

  /** Digests of what is given elsewhere, beside those of what is given here. */
  say(more: TrustDigests): void {
    const digests = { ...specDigests(this.#object!.spec), ...more }
    this.#annotate(ownControllerConfigAnnotations.trustDigests, JSON.stringify(digests))
  }

  #annotate(key: string, value: string): void {
    const { metadata, spec } = this.#object!
    const said = { ...metadata.annotations, [key]: value }
    const version = { resourceVersion: String(this.#version++), annotations: said }
    this.#object = { metadata: { ...metadata, ...version }, spec }
  }

  /** What is given from now on is not seen until the watch goes on, but can be read. */
  holdWatch(): void {
    this.#stale = this.#object
  }

  releaseWatch(): void {
    this.#stale = undefined
  }

  vanish(): void {
    this.#object = undefined
  }

  get version(): string {
    return this.#object!.metadata.resourceVersion!
  }

  seen(): SeenConfig | undefined {
    const object = this.#stale ?? this.#object
    return object && this.seenIn(object)
  }

  seenIn(object: ControllerConfig): SeenConfig {
    return seenIn(object, 'direct')
  }

  async ask(): Promise<SeenConfig | undefined> {
    return this.#object && this.seenIn(this.#object)
  }

  async read(): Promise<ControllerConfig> {
    this.reads++
    this.duringRead()
    if (this.failure) throw this.failure
    if (!this.#object) throw new Error('there is no such object')
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

/** A node's trust lane without an API server: everything that it tells is kept here. */
export class Trial implements TrustTeller {
  readonly clock = new VirtualClock()
  readonly config: TrialConfig
  readonly lane: TrustLane
  readonly view: View
  readonly told: Told[] = []
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
    this.config = config
    this.view = new View({ said: ledger.delivery, usual: 'direct' }, (signal) =>
      this.lane.catchUp(signal),
    )
    const { clock, view } = this
    const alone = <T>(_: string, work: () => Promise<T>): Promise<T> => work()
    const item = { files, ledger, clock, alone }
    const handlers = [
      kubeletCAItem(item),
      cloudCAItem(item),
      new RegistryItem(item),
      new PullSecretItem({ ...item, mounted, roles }),
      ...more,
    ]
    const parts = { config, handlers, ledger, teller: this, view }
    this.lane = new TrustLane({ ...parts, clock, random, log, jitterMs })
  }

  async tell(told: Told): Promise<void> {
    if (this.failure) throw this.failure
    this.told.push(told)
  }

  /** One look, and what comes of it at once: how long the lane then rests, or `settled`. */
  async once(): Promise<number | 'settled'> {
    const outcome = await this.lane.reconcile(new AbortController().signal)
    return outcome.type === 'settled' ? 'settled' : outcome.afterMs
  }

  /** Until nothing is left to do, or only things that fail again and again. */
  async settle(mostMs = 60_000): Promise<void> {
    const end = this.clock.elapsed() + mostMs
    for (;;) {
      const rest = await this.once()
      if (rest === 'settled' || this.clock.elapsed() + rest > end) return
      await this.clock.advance(rest)
    }
  }

  lines(): readonly NodeTrustItem[] {
    return trustLines(this.told.at(-1)?.reports ?? [])
  }

  /** `name state` of each item, with why. */
  states(): string[] {
    return this.lines().map(({ name, state, message }) =>
      message === undefined ? `${name} ${state}` : `${name} ${state}: ${message}`,
    )
  }

  /** Everything that was written or taken away, in order. */
  written(): string[] {
    return this.told.flatMap(({ written }) => written)
  }
}
