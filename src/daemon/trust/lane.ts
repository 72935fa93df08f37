import type { ControllerConfig } from '../../api/kinds/resources.ts'
import type { TrustItem } from '../../api/trust/items.ts'
import { messageOf } from '@machinist/core/errors'
import type { Random } from '@machinist/core/random'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { isRefused } from '@machinist/kube/failure'
import type { ItemDecision } from './decision/decide.ts'
import { decideItem } from './decision/decide.ts'
import { ReadDelay } from './decision/delay.ts'
import { ItemFailures } from './decision/item-failures.ts'
import type { DesiredTrust } from './desired/desired-trust.ts'
import type { DesiredTrustSourceOptions } from './desired/desired-trust-source.ts'
import { DesiredTrustSource } from './desired/desired-trust-source.ts'
import type { ObservedConfig } from './desired/followed-config.ts'
import type { ItemHandler, ObservedItem } from './items/item.ts'
import { RefusedInput } from './items/item.ts'
import type { Ledger } from './items/ledger.ts'
import type { ItemReport } from './report/node-trust.ts'
import type { TrustReporter } from './report/status-reporter.ts'
import type { LaneView } from './view/view.ts'

export interface TrustLaneOptions extends DesiredTrustSourceOptions {
  readonly ledger: Ledger
  readonly reporter: TrustReporter
  readonly view: LaneView
  readonly random: Random
  /** Period over which the nodes of a cluster spread their reads of a change. */
  readonly jitterMs: number
}

/** Requeue interval after a rejected write: only a change in the cluster can help. */
const refusedMs = 600_000

/** The input of a pass. */
interface GatheredTrust {
  readonly observed: ObservedConfig
  readonly desired: DesiredTrust
}

/** How far a reconcile is: each step ends with another pass, the last one with a report. */
type Progress =
  | { readonly type: 'started' }
  | { readonly type: 'fetched'; readonly payload: ControllerConfig }
  | { readonly type: 'applied'; readonly items: ReadonlySet<TrustItem> }
  | { readonly type: 'verified' }

/**
 * Delivers the trust items. Every pass gathers the desired trust and the disk, and decides about each item once. Then it
 * fetches the ControllerConfig or applies the changes, and another pass follows; or it reports.
 */
export class TrustLane {
  readonly #options: TrustLaneOptions
  readonly #source: DesiredTrustSource
  readonly #failures: ItemFailures
  readonly #delay: ReadDelay
  readonly #observed = new Map<TrustItem, ObservedItem | { readonly problem: string }>()
  /** Items to observe again. The last observation counts until then. */
  readonly #outdated = new Set<TrustItem>()
  /** Holdings that were written or removed, and not reported yet. */
  #unreported: string[] = []

  constructor(options: TrustLaneOptions) {
    this.#options = options
    this.#source = new DesiredTrustSource(options)
    this.#failures = new ItemFailures(options.clock, options.random)
    this.#delay = new ReadDelay(options.clock, options.random, options.jitterMs)
  }

  /** A file at this path changed; without a path, any file may have changed. */
  changed(path?: string): void {
    for (const handler of this.#options.handlers) {
      if (path === undefined || handler.watched().includes(path)) this.invalidate(handler.item)
    }
  }

  invalidate(item: TrustItem): void {
    this.#outdated.add(item)
    this.#failures.reconsider(item)
  }

  /** The ControllerConfig was listed again, beginning at this elapsed time. */
  relisted(begunAt: number): void {
    this.#source.relisted(begunAt)
  }

  /** Updates the view to the current state of the cluster, independently of the passes. */
  async catchUp(signal: AbortSignal): Promise<void> {
    this.#options.view.update(await this.#source.refresh(signal), this.#observed)
  }

  async reconcile(signal: AbortSignal): Promise<Outcome> {
    if (await this.#options.ledger.read()) this.changed()
    let progress: Progress = { type: 'started' }
    for (;;) {
      const next = await this.#pass(progress, signal)
      if (!isProgress(next)) return next
      progress = next
    }
  }

  async #pass(progress: Progress, signal: AbortSignal): Promise<Progress | Outcome> {
    const trust = await this.#gather()
    if (!trust) return settled
    const decisions = this.#decide(trust.desired)
    switch (progress.type) {
      case 'started':
        return await this.#start(trust, decisions, signal)
      case 'fetched':
        return await this.#applyFetched(trust, decisions, progress.payload, signal)
      case 'applied':
        return this.#verify(decisions, progress.items) ?? this.#report(trust, decisions, signal)
      case 'verified':
        return await this.#report(trust, decisions, signal)
    }
  }

  /** Undefined without a ControllerConfig: the disk stays as it is. */
  async #gather(): Promise<GatheredTrust | undefined> {
    const { ledger, view } = this.#options
    const observed = this.#source.observed()
    if (!observed) {
      view.update(undefined, this.#observed)
      return undefined
    }
    ledger.setDelivery(observed.delivery)
    await this.#observe()
    const desired = this.#source.desired(observed)
    // At once: what the config lane may write must not depend on the jitter of this lane.
    view.update(desired, this.#observed)
    return { observed, desired }
  }

  async #observe(): Promise<void> {
    for (const handler of this.#options.handlers) {
      const { item } = handler
      if (this.#observed.has(item) && !this.#outdated.has(item)) continue
      this.#outdated.delete(item)
      this.#observed.set(item, await this.#observeItem(handler))
    }
  }

  async #observeItem(handler: ItemHandler): Promise<ObservedItem | { readonly problem: string }> {
    try {
      return await handler.observe()
    } catch (error) {
      this.#options.log.error('cannot read the item from disk', error, { item: handler.item })
      return { problem: messageOf(error) }
    }
  }

  #decide(desired: DesiredTrust): ItemDecision[] {
    return this.#options.handlers.map((handler) => {
      const { item } = handler
      const failure = this.#failures.of(item)
      const observed = this.#observed.get(item) ?? { problem: 'the item is not read yet' }
      const isRemovable = 'remove' in handler && handler.owns?.() === true
      return decideItem({ item, observed, isRemovable, ...(failure && { failure }) }, desired)
    })
  }

  async #start(
    trust: GatheredTrust,
    decisions: readonly ItemDecision[],
    signal: AbortSignal,
  ): Promise<Progress | Outcome> {
    const { desired } = trust
    const open = decisions.filter(isOpen)
    if (open.length === 0) {
      this.#delay.done(desired, [])
      return await this.#report(trust, decisions, signal)
    }
    const waitMs = this.#delay.before(
      desired,
      open.map(({ item }) => item),
    )
    if (waitMs > 0) return requeueAfter(waitMs)
    return decisions.some((each) => this.#needsPayload(each))
      ? await this.#fetch(signal)
      : await this.#apply(desired, decisions.filter(isChange), undefined, signal)
  }

  async #fetch(signal: AbortSignal): Promise<Progress | Outcome> {
    try {
      const payload = await this.#source.fetch(signal)
      this.#failures.retryNow()
      return { type: 'fetched', payload }
    } catch (error) {
      if (signal.aborted) return settled
      this.#options.log.error('cannot read the ControllerConfig', error)
      return requeueAfter(this.#delay.afterFailure())
    }
  }

  /** Applies the changes that the payload covers. The next reconcile handles items that have changed since it was read. */
  async #applyFetched(
    { desired }: GatheredTrust,
    decisions: readonly ItemDecision[],
    payload: ControllerConfig,
    signal: AbortSignal,
  ): Promise<Progress | Outcome> {
    const fetched = this.#source.desired(this.#options.config.observedIn(payload))
    const changes = decisions.filter((each) => isChange(each) && isSame(each, desired, fetched))
    return await this.#apply(desired, changes, payload, signal)
  }

  async #apply(
    desired: DesiredTrust,
    changes: readonly ItemDecision[],
    payload: ControllerConfig | undefined,
    signal: AbortSignal,
  ): Promise<Progress | Outcome> {
    for (const decision of changes) {
      await this.#applyItem(decision, payload, signal)
      if (signal.aborted) return settled
    }
    const items = new Set(changes.map(({ item }) => item))
    this.#delay.done(desired, [...items])
    return { type: 'applied', items }
  }

  async #applyItem(
    { item, action, desired }: ItemDecision,
    payload: ControllerConfig | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { log } = this.#options
    const handler = this.#handler(item)
    try {
      const request = { desired: desired ?? '', signal, ...(payload && { payload }) }
      const result = action === 'write' ? await handler.apply(request) : await handler.remove?.()
      const { written = [], failures = new Map<string, string>() } = result ?? {}
      this.#unreported.push(...written)
      if (failures.size > 0) {
        const message = [...failures].map(([name, why]) => `${name}: ${why}`).join('; ')
        this.#failures.add(item, { desired, message, failures })
        log.error('cannot deliver every part of the item', new Error(message), { item })
      }
    } catch (error) {
      if (signal.aborted) return
      const isFinal = error instanceof RefusedInput
      this.#failures.add(item, { desired, message: messageOf(error), isFinal })
      const message = isFinal ? 'the source of the item is unusable' : 'cannot deliver the item'
      log.error(message, error, { item })
    }
    this.#outdated.add(item)
  }

  /** An item that another writer has reverted already is retried with back-off. */
  #verify(
    decisions: readonly ItemDecision[],
    applied: ReadonlySet<TrustItem>,
  ): Progress | undefined {
    const reverted = decisions.filter((each) => isChange(each) && applied.has(each.item))
    if (reverted.length === 0) return undefined
    for (const { item, desired } of reverted) {
      const message = 'another writer changed it right after it was written'
      this.#failures.add(item, { desired, message })
    }
    return { type: 'verified' }
  }

  async #report(
    { observed }: GatheredTrust,
    decisions: readonly ItemDecision[],
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { ledger, reporter, log } = this.#options
    this.#settle(decisions)
    await ledger.save()
    const reports = decisions.map((decision) => this.#reportOf(decision))
    const written = this.#unreported
    this.#unreported = []
    try {
      await reporter.report({ observed, reports, written }, signal)
    } catch (error) {
      if (signal.aborted) return settled
      log.error('cannot report the trust of this node', error)
      const retryMs = isRefused(error) ? refusedMs : this.#delay.afterFailure()
      return requeueAfter(Math.min(retryMs, this.#failures.waitMs() ?? retryMs))
    }
    return this.#outcome(decisions.some(isOpen))
  }

  /** Takes ownership of current items, whichever writer wrote them, and clears failures that are over. */
  #settle(decisions: readonly ItemDecision[]): void {
    for (const { item, check, state } of decisions) {
      if (check === 'current') this.#handler(item).adopt?.()
      if (state !== 'Failed') this.#failures.clear(item)
    }
  }

  /** `hasOpen`: an item became due, or its source changed, during this reconcile. */
  #outcome(hasOpen: boolean): Outcome {
    const unreadable = [...this.#observed].flatMap(([item, each]) =>
      'problem' in each ? [item] : [],
    )
    for (const item of unreadable) this.#outdated.add(item)
    const isComplete = !this.#source.forgetPartial() && !this.#options.ledger.isUnread
    const isSettled = isComplete && unreadable.length === 0 && !hasOpen
    if (isSettled) this.#delay.succeeded()
    const waits = [this.#failures.waitMs(), isSettled ? undefined : this.#delay.afterFailure()]
    const waitMs = Math.min(...waits.flatMap((ms) => ms ?? []))
    return waitMs === Infinity ? settled : requeueAfter(waitMs)
  }

  #reportOf(decision: ItemDecision): ItemReport {
    const { item } = decision
    const observed = this.#observed.get(item)
    const failures = this.#failures.ofParts(item)
    return {
      source: this.#handler(item).source,
      decision,
      ...(observed && !('problem' in observed) && { observed }),
      ...(failures && { failures }),
    }
  }

  #needsPayload({ item, action }: ItemDecision): boolean {
    return action === 'fetch' || (action === 'write' && this.#handler(item).needsPayload)
  }

  #handler(item: TrustItem): ItemHandler {
    return this.#options.handlers.find((each) => each.item === item)!
  }
}

const isOpen = ({ action }: ItemDecision): boolean => action !== 'nothing'

const isChange = ({ action }: ItemDecision): boolean => action === 'write' || action === 'remove'

const isProgress = (next: Progress | Outcome): next is Progress =>
  next.type !== 'settled' && next.type !== 'requeue'

/** Whether two states of the ControllerConfig specify the same for the item of a decision. */
const isSame = ({ item }: ItemDecision, a: DesiredTrust, b: DesiredTrust): boolean =>
  a.delivery === b.delivery &&
  a.isIncomplete === b.isIncomplete &&
  a.digests?.[item] === b.digests?.[item]
