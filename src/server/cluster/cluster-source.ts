import type { BackoffPolicy } from '@machinist/core/backoff'
import { backoffDelay } from '@machinist/core/backoff'
import { sleep } from '@machinist/core/clock'
import { configMaps as sources, names } from '../../api/names.ts'
import { chooseConfig } from '../answer/choose-config.ts'
import type { ServerState, StateSource } from '../answer/state.ts'
import { Changes, ChangeWait } from '../changes/changes.ts'
import type { AssembledState, ClusterObjects } from './assemble.ts'
import { assembleState } from './assemble.ts'
import type { CacheTools, ServerCaches } from './caches.ts'
import { serverCaches } from './caches.ts'
import { RenderedConfigs } from './rendered-configs.ts'

export interface ClusterSourceOptions extends CacheTools {
  /** URL of the API server for new machines. Defaults to the internal URL in the ControllerConfig. */
  readonly apiServerUrl?: string
}

/** Changes come in bursts: a rollout changes several fields of a pool. */
const settleMs = 50
const retry: BackoffPolicy = { firstMs: 1000, maxMs: 60_000, factor: 2, jitter: 0.5 }

/** The state of a cluster, from its API. The last state stays in use while the API server does not answer. */
export class ClusterSource implements StateSource {
  readonly #options: ClusterSourceOptions
  readonly #caches: ServerCaches
  readonly #configs: RenderedConfigs
  readonly #changes = new Changes()
  #state: AssembledState | undefined
  #problems = ''

  constructor(options: ClusterSourceOptions) {
    this.#options = options
    this.#caches = serverCaches(options)
    this.#configs = new RenderedConfigs(options.client, options.log)
  }

  current(): ServerState | undefined {
    return this.#state && { ...this.#state, asOf: this.#asOf() }
  }

  subscribe(changed: () => void): () => void {
    return this.#changes.subscribe(changed)
  }

  async run(signal: AbortSignal): Promise<void> {
    const all = Object.values(this.#caches) as ServerCaches[keyof ServerCaches][]
    const stopped = Promise.all(all.map((informer) => informer.start(signal)))
    const synced = await Promise.all(all.map((informer) => informer.synced()))
    if (synced.every(Boolean)) await this.#follow(all, signal)
    await stopped
  }

  async #follow(
    all: readonly ServerCaches[keyof ServerCaches][],
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, random, log } = this.#options
    const wait = new ChangeWait(clock, signal)
    for (const informer of all) informer.subscribe(wait.changed)
    let failures = 0
    while (!signal.aborted) {
      const isComplete = await this.#update(signal).catch((error: unknown) => {
        log.error('cannot assemble the state of the cluster', error)
        return false
      })
      failures = isComplete ? 0 : failures + 1
      await wait.next(isComplete ? Infinity : backoffDelay(retry, failures - 1, random))
      await sleep(clock, settleMs, signal)
    }
  }

  /** Returns whether all configs could be read. */
  async #update(signal: AbortSignal): Promise<boolean> {
    const objects = this.#objects()
    const wanted = new Set(objects.pools.flatMap((pool) => chooseConfig(pool) ?? []))
    const failed = await this.#configs.read(wanted, signal)
    if (signal.aborted) return false
    const { pools } = assembleState(objects, this.#configs.known, this.#state)
    this.#configs.keep(new Set([...pools.values()].flatMap((pool) => chooseConfig(pool) ?? [])))
    this.#state = assembleState(objects, this.#configs.known, this.#state)
    this.#logProblems(this.#state.trust?.problems ?? [])
    this.#changes.notify()
    return failed.size === 0
  }

  #objects(): ClusterObjects {
    const { pools, controllerConfigs, kubeconfigData, osConfigs, osBuilds, images } = this.#caches
    const { namespace, name } = sources.kubeconfigData
    return {
      pools: pools.list(),
      controllerConfig: controllerConfigs.get({ name: names.controllerConfig }),
      kubeconfigData: kubeconfigData.get({ namespace, name }),
      osConfigs: osConfigs.list(),
      osBuilds: osBuilds.list(),
      image: images.get({ name: names.clusterConfig }),
      apiServerUrl: this.#options.apiServerUrl,
    }
  }

  /** The caches confirm the state as long as their watches are open. */
  #asOf(): number {
    const now = this.#options.clock.now()
    const { pools, controllerConfigs, kubeconfigData } = this.#caches
    const times = [pools, controllerConfigs, kubeconfigData].map((cache) =>
      cache.isConnected ? now : (cache.lastActivity ?? now),
    )
    return Math.min(...times)
  }

  #logProblems(problems: readonly string[]): void {
    const text = problems.join('; ')
    if (text === this.#problems) return
    this.#problems = text
    if (text !== '') this.#options.log.error('CAs are not served to new machines', new Error(text))
  }
}
