import type { ConditionReport } from '../../api/conditions.ts'
import { conditionOf, poolHeld } from '../../api/conditions.ts'
import { isManagedByOtherOperator } from '../../api/maker.ts'
import { poolEvents, renderReasons } from '../../api/reasons.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { machineConfigPools } from '../../api/kinds/resources.ts'
import type { Release } from '../../api/validation/extensions.ts'
import type { Clock } from '@machinist/core/clock'
import { Stalled, Transient } from '@machinist/core/errors'
import type { Gauge, Metrics } from '@machinist/core/metrics'
import { referenceTo } from '@machinist/core/objects/resource'
import { preloadContentFacts } from '@machinist/ignition/content-facts'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { isRefused, describeRefusal, withoutServerMessage } from '@machinist/kube/failure'
import type { Maker } from '../../fleet/render/maker.ts'
import type { PoolHold } from '../../fleet/pools/hold.ts'
import type { WithheldTemplates } from '../other-maker/withheld-templates.ts'
import { deleteRendered, setPoolConfiguration, storeRendered } from './act.ts'
import { BatchWindow } from './batch-window.ts'
import type { RenderCaches } from './caches.ts'
import type { RenderDecision, RenderFunction } from './decide.ts'
import { decide } from './decide.ts'
import type { RenderFacts } from './facts.ts'
import { gather } from './gather.ts'
import { degraded } from './block.ts'
import { holdIn } from './hold.ts'
import { InputCache } from './input-cache.ts'
import { renderInputsOf } from './inputs.ts'
import { pendingChange } from './pending.ts'
import {
  releasedCondition,
  heldConditions,
  changesConditions,
  isPending,
  pendingCondition,
  renderCondition,
  renderedCondition,
  writePoolConditions,
} from './pool-conditions.ts'
import { prunableConfigs, releasedConfigs } from './prune.ts'
import type { RenderInput } from '../../fleet/render/read-input.ts'
import { readInput } from '../../fleet/render/read-input.ts'
import type { RenderedConfig } from '../../fleet/render/renderer.ts'
import { Renderer } from '../../fleet/render/renderer.ts'

export interface RenderOptions {
  readonly client: KubeClient
  readonly caches: RenderCaches
  readonly events: EventRecorder
  readonly metrics: Metrics
  readonly clock: Clock
  readonly maker: Maker
  /** The release whose merge rules apply; the newest by default. */
  readonly release?: Release
  /** Results of templates that are not stored because another controller's MachineConfigs exist. */
  readonly withheld?: WithheldTemplates
  /** How many unused rendered configs of a pool are kept; 10 by default. */
  readonly keep?: number
  /** The batch window: changes that are applied together are rolled out together; 5 s by default. */
  readonly windowMs?: number
}

/** Renders the MachineConfigs of a pool and sets spec.configuration of the pool. Keys are pool names. */
export class RenderController implements Controller {
  readonly name = 'render'
  readonly outputs = ['MachineConfig', 'MachineConfigPool']
  readonly inputs: readonly Input[]
  readonly #options: RenderOptions & { readonly release: Release }
  readonly #inputs: InputCache
  readonly #renderer: Renderer
  readonly #window: BatchWindow
  /** The inputs of the last rendering, by pool. */
  readonly #lastInputs = new Map<string, readonly RenderInput[]>()
  readonly #overridden: Gauge<'pool'>

  constructor(options: RenderOptions) {
    const { release = 'main', clock, metrics, windowMs = 5000 } = options
    this.#options = { ...options, release }
    this.#inputs = new InputCache((machineConfig) => readInput(machineConfig, release))
    this.#renderer = new Renderer(release)
    this.#window = new BatchWindow(clock, windowMs)
    this.#overridden = metrics.gauge({
      name: 'os_image_url_override',
      help: '1 if the rendered config of a pool overrides the OS image of the release, else 0.',
      labels: ['pool'],
    })
    this.inputs = renderInputsOf({
      caches: options.caches,
      window: this.#window,
      withheld: options.withheld,
      forget: (machineConfig) => this.#inputs.forget(machineConfig),
    })
  }

  async reconcile(key: string, { log, signal }: ReconcileContext): Promise<Outcome> {
    const { client, caches, release, maker, withheld } = this.#options
    const pool = caches.pools.get(key)
    await deleteRendered(releasedConfigs(key, caches), { client, signal })
    if (!pool || pool.metadata.deletionTimestamp) return this.#forget(key)
    const pauseMs = this.#window.remaining(key)
    if (pauseMs > 0 && isPending(pool)) return requeueAfter(pauseMs)

    const facts = gather(pool, { caches, inputs: this.#inputs, maker, release, withheld })
    const render: RenderFunction = (...merged) => this.#renderer.render(...merged)
    for (const { config } of facts.inputs) await preloadContentFacts(config)
    const hold = await this.#holdIn(facts, render)
    if (hold) return await this.#hold(pool, hold, { log, signal })
    if (isManagedByOtherOperator(caches.controllerConfigs))
      return await this.#leaveToOtherOperator(pool, signal)
    return await this.#render(facts, render, { log, signal })
  }

  async #render(
    facts: RenderFacts,
    render: RenderFunction,
    { log, signal }: Pick<ReconcileContext, 'log' | 'signal'>,
  ): Promise<Outcome> {
    const { pool } = facts
    const key = pool.metadata.name
    const pauseMs = this.#window.remaining(key)
    const change = pendingChange(facts, render, this.#lastInputs.get(key))
    const pending = change === undefined ? [] : [pendingCondition(change)]
    // Before the batch window and before spec.configuration changes: `kubectl wait` must not succeed for the old config.
    await writePoolConditions(pool, pending, this.#options.client, signal)
    if (pauseMs > 0) return requeueAfter(pauseMs)
    this.#window.close(key)

    const wasPending = change !== undefined || isPending(pool)
    const decision = decide(facts, render)
    if (decision.type === 'rendered') {
      const updated = wasPending ? [renderedCondition()] : []
      await this.#apply(decision.rendered, facts, signal)
      this.#lastInputs.set(key, facts.inputs)
      const condition = renderCondition(key, undefined, decision.warnings)
      await this.#report(pool, [condition, ...releasedCondition(pool), ...updated], signal)
      await this.#prune(pool, signal)
      return settled
    }
    const updated = wasPending && change === undefined ? [renderedCondition()] : pending
    return await this.#block(pool, decision, updated, { log, signal })
  }

  async #block(
    pool: MachineConfigPool,
    { block, check }: Extract<RenderDecision, { type: 'blocked' }>,
    updated: readonly ConditionReport[],
    { log, signal }: Pick<ReconcileContext, 'log' | 'signal'>,
  ): Promise<Outcome> {
    await this.#report(pool, [renderCondition(pool.metadata.name, block), ...updated], signal)
    if (block.waiting) {
      log.info('rendering waits', { check, why: block.message })
      return settled
    }
    throw new Stalled(block.reason, block.message)
  }

  /** Another operator's controller renders the pool: only an outdated Held condition is reset. */
  async #leaveToOtherOperator(pool: MachineConfigPool, signal: AbortSignal): Promise<Outcome> {
    this.#window.close(pool.metadata.name)
    await writePoolConditions(pool, releasedCondition(pool), this.#options.client, signal)
    return settled
  }

  async #holdIn(facts: RenderFacts, render: RenderFunction): Promise<PoolHold | undefined> {
    if (facts.foreignConfigs.length === 0) return undefined
    for (const { config } of facts.adoptedInputs ?? facts.inputs) await preloadContentFacts(config)
    return holdIn(facts, render)
  }

  /** Keeps the plan in the condition while templates are not rendered yet, for example after a restart. */
  async #hold(
    pool: MachineConfigPool,
    hold: PoolHold,
    { log, signal }: Pick<ReconcileContext, 'log' | 'signal'>,
  ): Promise<Outcome> {
    const { client, events } = this.#options
    const { name } = pool.metadata
    const pauseMs = this.#window.remaining(name)
    if (pauseMs > 0) return requeueAfter(pauseMs)
    this.#window.close(name)
    const before = conditionOf(pool.status?.conditions, poolHeld)
    if (hold.plan === undefined && before?.status === 'True') return settled
    const isLeft = isManagedByOtherOperator(this.#options.caches.controllerConfigs)
    const reports = heldConditions(pool, hold, isLeft)
    await writePoolConditions(pool, reports, client, signal)
    if (!changesConditions(pool, reports.slice(0, 1))) return settled
    log.info('pool keeps the config of another controller', {
      config: hold.config,
      maker: hold.maker,
    })
    events.warning(referenceTo(machineConfigPools, pool), poolEvents.held, reports[0].message ?? '')
    return settled
  }

  async #apply(rendered: RenderedConfig, facts: RenderFacts, signal: AbortSignal): Promise<void> {
    const { client, caches, events } = this.#options
    const act = { client, events, signal }
    const { name } = facts.pool.metadata
    let target = `MachineConfig ${rendered.name}`
    try {
      await storeRendered(rendered, caches.machineConfigs.get(rendered.name), facts, act)
      target = `MachineConfigPool ${name}`
      await setPoolConfiguration(rendered, facts, act)
    } catch (error) {
      if (!isRefused(error)) throw withoutServerMessage(error)
      const block = degraded(renderReasons.refused, describeRefusal(target, error))
      await this.#report(facts.pool, [renderCondition(name, block)], signal)
      // No event announces changed RBAC or admission rules, so the write is retried.
      throw new Transient(block.reason, block.message)
    }
    this.#overridden.set({ pool: name }, rendered.osImageOverridden ? 1 : 0)
  }

  /** Writes the conditions. Emits an event for each new message that needs a user. */
  async #report(
    pool: MachineConfigPool,
    reports: readonly [ConditionReport, ...ConditionReport[]],
    signal: AbortSignal,
  ): Promise<void> {
    const { status, reason = '', message = '' } = reports[0]
    const isNotable = status === 'True' || reason === renderReasons.renderedWithWarnings
    if (isNotable && changesConditions(pool, reports.slice(0, 1))) {
      this.#options.events.warning(referenceTo(machineConfigPools, pool), reason, message)
    }
    await writePoolConditions(pool, reports, this.#options.client, signal)
  }

  async #prune(pool: MachineConfigPool, signal: AbortSignal): Promise<void> {
    const { client, caches, keep = 10 } = this.#options
    await deleteRendered(prunableConfigs(pool, caches, keep), { client, signal })
  }

  #forget(pool: string): Outcome {
    this.#renderer.forget(pool)
    this.#lastInputs.delete(pool)
    this.#window.close(pool)
    this.#overridden.forget({ pool })
    return settled
  }
}
