import { poolEvents, renderReasons } from '../../api/reasons.ts'
import type { MachineConfigPool } from '../../api/resources.ts'
import { machineConfigPools } from '../../api/resources.ts'
import type { Release } from '../../api/validation/extensions.ts'
import type { Clock } from '../../base/clock.ts'
import { Stalled, Transient } from '../../base/errors.ts'
import type { Gauge, Metrics } from '../../base/metrics.ts'
import { referenceTo } from '../../base/resource.ts'
import type { KubeClient } from '../../kube/client.ts'
import type { Controller, Input, ReconcileContext } from '../../kube/controller/controller.ts'
import type { Outcome } from '../../kube/controller/outcome.ts'
import { lookAgainAfter, settled } from '../../kube/controller/outcome.ts'
import type { EventRecorder } from '../../kube/events/recorder.ts'
import { isRefused, refusalInWords, withoutQuotes } from '../../kube/failure.ts'
import type { Maker } from '../generated/maker.ts'
import { remove, repoint, store } from './act.ts'
import { BatchWindow } from './batch-window.ts'
import type { RenderCaches } from './caches.ts'
import { decide } from './decide.ts'
import type { Facts } from './facts.ts'
import { gather } from './gather.ts'
import { degraded } from './gates.ts'
import { InputCache } from './input-cache.ts'
import { inputsOf } from './inputs.ts'
import { renderCondition, showCondition } from './pool-condition.ts'
import { prunable, released } from './prune.ts'
import { readInput } from './read-input.ts'
import type { Rendered } from './renderer.ts'
import { Renderer } from './renderer.ts'

export interface RenderOptions {
  readonly client: KubeClient
  readonly caches: RenderCaches
  readonly events: EventRecorder
  readonly metrics: Metrics
  readonly clock: Clock
  readonly maker: Maker
  /** Whose rules of order and merge hold; the newest unless told. */
  readonly release?: Release
  /** How many rendered configs of a pool stay although nobody refers to them; 10. */
  readonly keep?: number
  /** How long changes are collected before they are rendered: what is applied together is rolled out together; 5 s. */
  readonly windowMs?: number
}

/** MachineConfigs of a pool → one rendered MachineConfig that the pool points at. The key is the pool's name. */
export class RenderController implements Controller {
  readonly name = 'render'
  readonly outputs = ['MachineConfig', 'MachineConfigPool']
  readonly inputs: readonly Input[]
  readonly #options: RenderOptions & { readonly release: Release }
  readonly #inputs: InputCache
  readonly #renderer: Renderer
  readonly #window: BatchWindow
  readonly #overridden: Gauge<'pool'>

  constructor(options: RenderOptions) {
    const { release = 'main', clock, metrics, windowMs = 5000 } = options
    this.#options = { ...options, release }
    this.#inputs = new InputCache((machineConfig) => readInput(machineConfig, release))
    this.#renderer = new Renderer(release)
    this.#window = new BatchWindow(clock, windowMs)
    this.#overridden = metrics.gauge({
      name: 'os_image_url_override',
      help: 'Whether the rendered configuration of a pool replaces the OS image of the release.',
      labels: ['pool'],
    })
    this.inputs = inputsOf({
      caches: options.caches,
      window: this.#window,
      forget: (machineConfig) => this.#inputs.forget(machineConfig),
    })
  }

  async reconcile(key: string, { log, signal }: ReconcileContext): Promise<Outcome> {
    const { client, caches, events, release, maker } = this.#options
    const pool = caches.pools.get(key)
    await remove(released(key, caches), { client, signal })
    if (!pool || pool.metadata.deletionTimestamp) return this.#forget(key)
    const pauseMs = this.#window.remaining(key)
    if (pauseMs > 0) return lookAgainAfter(pauseMs)
    this.#window.close(key)

    const facts = gather(pool, { caches, inputs: this.#inputs, maker, release })
    const decision = decide(facts, (...merged) => this.#renderer.render(...merged))
    if (decision.type === 'rendered') {
      await this.#apply(decision.rendered, facts, signal)
      await showCondition(pool, renderCondition(key, undefined), client, signal)
      await this.#prune(pool, signal)
      return settled
    }
    const { block, policy } = decision
    await showCondition(pool, renderCondition(key, block), client, signal)
    if (block.waiting) {
      log.info('rendering waits', { policy, why: block.message })
      return settled
    }
    if (block.reason === renderReasons.selectingAll) {
      events.warning(referenceTo(machineConfigPools, pool), poolEvents.selectingAll, block.message)
    }
    throw new Stalled(block.reason, block.message)
  }

  async #apply(rendered: Rendered, facts: Facts, signal: AbortSignal): Promise<void> {
    const { client, caches, events } = this.#options
    const act = { client, events, signal }
    const { name } = facts.pool.metadata
    let asked = `MachineConfig ${rendered.name}`
    try {
      await store(rendered, caches.machineConfigs.get(rendered.name), facts, act)
      asked = `MachineConfigPool ${name}`
      await repoint(rendered, facts, act)
    } catch (error) {
      if (!isRefused(error)) throw withoutQuotes(error)
      const block = degraded(renderReasons.refused, refusalInWords(asked, error))
      await showCondition(facts.pool, renderCondition(name, block), client, signal)
      // Nobody tells when the rights or the rules of admission change, so it is tried again.
      throw new Transient(block.reason, block.message)
    }
    this.#overridden.set({ pool: name }, rendered.osImageOverridden ? 1 : 0)
  }

  async #prune(pool: MachineConfigPool, signal: AbortSignal): Promise<void> {
    const { client, caches, keep = 10 } = this.#options
    await remove(prunable(pool, caches, keep), { client, signal })
  }

  #forget(pool: string): Outcome {
    this.#renderer.forget(pool)
    this.#window.close(pool)
    this.#overridden.forget({ pool })
    return settled
  }
}
