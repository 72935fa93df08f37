import type { ConditionReport } from '../../api/conditions.ts'
import { conditionOf, poolHeld } from '../../api/conditions.ts'
import { isLeftToOtherOperator } from '../../api/maker.ts'
import { poolEvents, renderReasons } from '../../api/reasons.ts'
import type { MachineConfigPool } from '../../api/resources.ts'
import { machineConfigPools } from '../../api/resources.ts'
import type { Release } from '../../api/validation/extensions.ts'
import type { Clock } from '@machinist/core/clock'
import { Stalled, Transient } from '@machinist/core/errors'
import type { Gauge, Metrics } from '@machinist/core/metrics'
import { referenceTo } from '@machinist/core/resource'
import { learnContents } from '@machinist/ignition/content-facts'
import type { KubeClient } from '@machinist/kube/client'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { isRefused, refusalInWords, withoutQuotes } from '@machinist/kube/failure'
import type { Maker } from '../../fleet/render/maker.ts'
import type { Hold } from '../../fleet/pools/hold.ts'
import type { WithheldTemplates } from '../other-maker/withheld-templates.ts'
import { remove, repoint, store } from './act.ts'
import { BatchWindow } from './batch-window.ts'
import type { RenderCaches } from './caches.ts'
import type { Decision, Render } from './decide.ts'
import { decide } from './decide.ts'
import type { Facts } from './facts.ts'
import { gather } from './gather.ts'
import { degraded } from './gates.ts'
import { holdIn } from './hold.ts'
import { InputCache } from './input-cache.ts'
import { inputsOf } from './inputs.ts'
import { pendingChange } from './pending.ts'
import {
  freedCondition,
  heldConditions,
  isNews,
  isPending,
  pendingCondition,
  renderCondition,
  renderedCondition,
  showConditions,
} from './pool-condition.ts'
import { prunable, released } from './prune.ts'
import type { RenderInput } from '../../fleet/render/read-input.ts'
import { readInput } from '../../fleet/render/read-input.ts'
import type { Rendered } from '../../fleet/render/renderer.ts'
import { Renderer } from '../../fleet/render/renderer.ts'

export interface RenderOptions {
  readonly client: KubeClient
  readonly caches: RenderCaches
  readonly events: EventRecorder
  readonly metrics: Metrics
  readonly clock: Clock
  readonly maker: Maker
  /** Whose rules of order and merge hold; the newest unless told. */
  readonly release?: Release
  /** What templates come to where another controller's MachineConfigs are in their place. */
  readonly withheld?: WithheldTemplates
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
  /** By pool: the inputs of what it points at. */
  readonly #made = new Map<string, readonly RenderInput[]>()
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
      withheld: options.withheld,
      forget: (machineConfig) => this.#inputs.forget(machineConfig),
    })
  }

  async reconcile(key: string, { log, signal }: ReconcileContext): Promise<Outcome> {
    const { client, caches, release, maker, withheld } = this.#options
    const pool = caches.pools.get(key)
    await remove(released(key, caches), { client, signal })
    if (!pool || pool.metadata.deletionTimestamp) return this.#forget(key)
    const pauseMs = this.#window.remaining(key)
    if (pauseMs > 0 && isPending(pool)) return requeueAfter(pauseMs)

    const facts = gather(pool, { caches, inputs: this.#inputs, maker, release, withheld })
    const render: Render = (...merged) => this.#renderer.render(...merged)
    for (const { config } of facts.inputs) await learnContents(config)
    const hold = await this.#holdIn(facts, render)
    if (hold) return await this.#hold(pool, hold, { log, signal })
    if (isLeftToOtherOperator(caches.controllerConfigs)) return await this.#leave(pool, signal)
    return await this.#render(facts, render, { log, signal })
  }

  async #render(
    facts: Facts,
    render: Render,
    { log, signal }: Pick<ReconcileContext, 'log' | 'signal'>,
  ): Promise<Outcome> {
    const { pool } = facts
    const key = pool.metadata.name
    const pauseMs = this.#window.remaining(key)
    const change = pendingChange(facts, render, this.#made.get(key))
    const pending = change === undefined ? [] : [pendingCondition(change)]
    // Before changes are collected, and before the pool points at them: nothing may wait for the old configuration meanwhile.
    await showConditions(pool, pending, this.#options.client, signal)
    if (pauseMs > 0) return requeueAfter(pauseMs)
    this.#window.close(key)

    const wasPending = change !== undefined || isPending(pool)
    const decision = decide(facts, render)
    if (decision.type === 'rendered') {
      const updated = wasPending ? [renderedCondition()] : []
      await this.#apply(decision.rendered, facts, signal)
      this.#made.set(key, facts.inputs)
      const condition = renderCondition(key, undefined, decision.warnings)
      await this.#show(pool, [condition, ...freedCondition(pool), ...updated], signal)
      await this.#prune(pool, signal)
      return settled
    }
    const updated = wasPending && change === undefined ? [renderedCondition()] : pending
    return await this.#block(pool, decision, updated, { log, signal })
  }

  async #block(
    pool: MachineConfigPool,
    { block, policy }: Extract<Decision, { type: 'blocked' }>,
    updated: readonly ConditionReport[],
    { log, signal }: Pick<ReconcileContext, 'log' | 'signal'>,
  ): Promise<Outcome> {
    await this.#show(pool, [renderCondition(pool.metadata.name, block), ...updated], signal)
    if (block.waiting) {
      log.info('rendering waits', { policy, why: block.message })
      return settled
    }
    throw new Stalled(block.reason, block.message)
  }

  /** Another operator's controller renders the pool: only a hold that is over is taken back. */
  async #leave(pool: MachineConfigPool, signal: AbortSignal): Promise<Outcome> {
    this.#window.close(pool.metadata.name)
    await showConditions(pool, freedCondition(pool), this.#options.client, signal)
    return settled
  }

  async #holdIn(facts: Facts, render: Render): Promise<Hold | undefined> {
    if (facts.theirConfigs.length === 0) return undefined
    for (const { config } of facts.adoptedInputs ?? facts.inputs) await learnContents(config)
    return holdIn(facts, render)
  }

  /** A restart does not take back a plan that is on the pool, only because templates are not worked out yet. */
  async #hold(
    pool: MachineConfigPool,
    hold: Hold,
    { log, signal }: Pick<ReconcileContext, 'log' | 'signal'>,
  ): Promise<Outcome> {
    const { client, events } = this.#options
    const { name } = pool.metadata
    const pauseMs = this.#window.remaining(name)
    if (pauseMs > 0) return requeueAfter(pauseMs)
    this.#window.close(name)
    const before = conditionOf(pool.status?.conditions, poolHeld)
    if (hold.plan === undefined && before?.status === 'True') return settled
    const isLeft = isLeftToOtherOperator(this.#options.caches.controllerConfigs)
    const reports = heldConditions(pool, hold, isLeft)
    await showConditions(pool, reports, client, signal)
    if (!isNews(pool, reports.slice(0, 1))) return settled
    log.info('hold a pool of another controller', { config: hold.config, maker: hold.maker })
    events.warning(referenceTo(machineConfigPools, pool), poolEvents.held, reports[0].message ?? '')
    return settled
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
      await this.#show(facts.pool, [renderCondition(name, block)], signal)
      // Nobody tells when the rights or the rules of admission change, so it is tried again.
      throw new Transient(block.reason, block.message)
    }
    this.#overridden.set({ pool: name }, rendered.osImageOverridden ? 1 : 0)
  }

  /** A person may have to act before any node changes, so it is an event as well, once for each new message. */
  async #show(
    pool: MachineConfigPool,
    reports: readonly [ConditionReport, ...ConditionReport[]],
    signal: AbortSignal,
  ): Promise<void> {
    const { status, reason = '', message = '' } = reports[0]
    const isNotable = status === 'True' || reason === renderReasons.renderedWithWarnings
    if (isNotable && isNews(pool, reports.slice(0, 1))) {
      this.#options.events.warning(referenceTo(machineConfigPools, pool), reason, message)
    }
    await showConditions(pool, reports, this.#options.client, signal)
  }

  async #prune(pool: MachineConfigPool, signal: AbortSignal): Promise<void> {
    const { client, caches, keep = 10 } = this.#options
    await remove(prunable(pool, caches, keep), { client, signal })
  }

  #forget(pool: string): Outcome {
    this.#renderer.forget(pool)
    this.#made.delete(pool)
    this.#window.close(pool)
    this.#overridden.forget({ pool })
    return settled
  }
}
