import type { ControllerConfig } from '../../api/resources.ts'
import type { TrustItem } from '../../api/trust/items.ts'
import { messageOf } from '@machinist/core/errors'
import type { Random } from '@machinist/core/random'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { isRefused } from '@machinist/kube/failure'
import type { ItemDecision } from './decide.ts'
import { decideItem } from './decide.ts'
import { Delay } from './delay.ts'
import type { SeenConfig } from './followed-config.ts'
import type { ItemHandler, Look } from './item.ts'
import { Refused } from './item.ts'
import type { Ledger } from './ledger.ts'
import type { ItemReport } from './node-trust.ts'
import { Troubles } from './troubles.ts'
import type { View } from './view.ts'
import type { WishesOptions } from './wishes.ts'
import { Wishes } from './wishes.ts'

/** Whom the lane tells what it found and did. */
export interface TrustTeller {
  /** Tells it once; the same again costs nothing. */
  tell(told: Told, signal: AbortSignal): Promise<void>
}

export interface Told {
  readonly seen: SeenConfig
  readonly reports: readonly ItemReport[]
  /** The holdings that were written or taken away just now. */
  readonly written: readonly string[]
}

export interface LaneOptions extends WishesOptions {
  readonly ledger: Ledger
  readonly teller: TrustTeller
  readonly view: View
  readonly random: Random
  /** Over which time the nodes of a cluster spread their reads of a change. */
  readonly jitterMs: number
}

/** The same would be refused again until somebody changes something in the cluster. */
const refusedMs = 600_000

/** Looks what is wanted and what is there, decides item by item, reads the payload once if need be, writes, tells. */
export class TrustLane {
  readonly #options: LaneOptions
  readonly #wishes: Wishes
  readonly #troubles: Troubles
  readonly #delay: Delay
  readonly #looks = new Map<TrustItem, Look | { readonly problem: string }>()
  /** What is to be looked at again. What was seen counts until then: it may change at any moment of a reconcile. */
  readonly #outdated = new Set<TrustItem>()
  /** Delivered, but not told yet. */
  #untold: string[] = []

  constructor(options: LaneOptions) {
    this.#options = options
    this.#wishes = new Wishes(options)
    this.#troubles = new Troubles(options.clock, options.random)
    this.#delay = new Delay(options.clock, options.random, options.jitterMs)
  }

  /** Something at this path changed; or somewhere, if it is not known where. */
  changed(path?: string): void {
    for (const handler of this.#options.handlers) {
      if (path === undefined || handler.watched().includes(path)) this.lookAgain(handler.item)
    }
  }

  lookAgain(item: TrustItem): void {
    this.#outdated.add(item)
    this.#troubles.reconsider(item)
  }

  /** The ControllerConfig was listed again, beginning at this elapsed time. */
  relisted(begunAt: number): void {
    this.#wishes.relisted(begunAt)
  }

  /** Lets the others know what the cluster wants at this very moment, whatever the lane is at. */
  async catchUp(signal: AbortSignal): Promise<void> {
    this.#options.view.update(await this.#wishes.ask(signal), this.#looks)
  }

  async reconcile(signal: AbortSignal): Promise<Outcome> {
    const { ledger, log, view } = this.#options
    if (await ledger.read()) this.changed()
    const seen = this.#wishes.seen()
    // Nothing was ever said, or nothing is said any more: what is there stays.
    if (!seen) {
      view.update(undefined, this.#looks)
      return settled
    }
    ledger.delivers(seen.delivery)
    await this.#look()
    // At once: what a config may write must not depend on when this lane comes round to it.
    const wanted = this.#wishes.wanted(seen)
    view.update(wanted, this.#looks)
    const decisions = this.#decide(seen)
    const open = decisions.filter(({ do: what }) => what !== 'nothing').map(({ item }) => item)
    if (open.length === 0) this.#delay.done(wanted, [])
    else {
      const waitMs = this.#delay.before(wanted, open)
      if (waitMs > 0) return requeueAfter(waitMs)
      try {
        await this.#act(decisions, signal)
      } catch (error) {
        if (signal.aborted) return settled
        log.error('cannot read what the cluster wants', error)
        return requeueAfter(this.#delay.afterFailure())
      }
    }
    return this.#conclude(this.#wishes.seen() ?? seen, signal)
  }

  /** The payload once, for all; then each item by itself. */
  async #act(decided: readonly ItemDecision[], signal: AbortSignal): Promise<void> {
    const usesPayload = ({ item, do: what }: ItemDecision): boolean =>
      what === 'ask' || (what === 'write' && this.#handler(item).needsPayload)
    const payload = decided.some(usesPayload) ? await this.#wishes.read(signal) : undefined
    if (payload) this.#troubles.tryNow()
    const seen = this.#wishes.seen()
    if (!seen) return
    this.#options.view.update(this.#wishes.wanted(seen), this.#looks)
    // Something else may be wanted by now than what was read: that is left to the next time.
    const asRead = payload ? this.#decide(this.#options.config.seenIn(payload)) : undefined
    const isAsRead = (each: ItemDecision, index: number): boolean =>
      asRead
        ? asRead[index]?.wanted === each.wanted && asRead[index]?.do === each.do
        : !usesPayload(each)
    const changes = this.#decide(seen).filter(
      (each, index) => isChange(each) && isAsRead(each, index),
    )
    for (const decision of changes) {
      await this.#bring(this.#handler(decision.item), decision, payload, signal)
    }
    const brought = new Set(changes.map(({ item }) => item))
    this.#delay.done(this.#wishes.wanted(seen), [...brought])
    await this.#look()
    const again = this.#decide(seen).filter(isChange)
    // What was brought without a complaint and still is not there is tried again, but not at once.
    for (const { item, wanted } of again.filter((each) => brought.has(each.item))) {
      const message = 'it was something else again right after it was written'
      this.#troubles.add(item, { wanted, message })
    }
  }

  async #bring(
    handler: ItemHandler,
    { item, do: what, wanted }: ItemDecision,
    payload: ControllerConfig | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { log } = this.#options
    try {
      const order = { wanted: wanted ?? '', signal, ...(payload && { payload }) }
      const applied = what === 'write' ? await handler.apply(order) : await handler.remove?.()
      const { written = [], failures = new Map<string, string>() } = applied ?? {}
      this.#untold.push(...written)
      if (failures.size > 0) {
        const message = [...failures].map(([name, why]) => `${name}: ${why}`).join('; ')
        this.#troubles.add(item, { wanted, message, failures })
        log.error('cannot deliver everything', new Error(message), { item })
      }
    } catch (error) {
      if (signal.aborted) throw error
      const isFinal = error instanceof Refused
      this.#troubles.add(item, { wanted, message: messageOf(error), isFinal })
      log.error(isFinal ? 'what is given cannot be used' : 'cannot deliver', error, { item })
    }
    this.#outdated.add(item)
  }

  async #look(): Promise<void> {
    for (const handler of this.#options.handlers) {
      const { item } = handler
      if (this.#looks.has(item) && !this.#outdated.has(item)) continue
      this.#outdated.delete(item)
      this.#looks.set(item, await this.#lookAt(handler))
    }
  }

  async #lookAt(handler: ItemHandler): Promise<Look | { readonly problem: string }> {
    try {
      return await handler.look()
    } catch (error) {
      this.#options.log.error('cannot look what is there', error, { item: handler.item })
      return { problem: messageOf(error) }
    }
  }

  #decide(seen: SeenConfig): ItemDecision[] {
    const wanted = this.#wishes.wanted(seen)
    return this.#options.handlers.map((handler) => {
      const { item } = handler
      const trouble = this.#troubles.of(item)
      const look = this.#looks.get(item) ?? { problem: 'nobody has looked yet' }
      const isRemovable = 'remove' in handler && handler.owns?.() === true
      return decideItem({ item, look, isRemovable, ...(trouble && { trouble }) }, wanted)
    })
  }

  async #conclude(seen: SeenConfig, signal: AbortSignal): Promise<Outcome> {
    const { ledger, teller, view, log } = this.#options
    const decisions = this.#decide(seen)
    this.#adopt(decisions)
    await ledger.save()
    view.update(this.#wishes.wanted(seen), this.#looks)
    const reports = decisions.map((decision) => this.#report(decision))
    const written = this.#untold
    this.#untold = []
    try {
      await teller.tell({ seen, reports, written }, signal)
    } catch (error) {
      if (signal.aborted) return settled
      log.error('cannot tell what this node trusts', error)
      const againMs = isRefused(error) ? refusedMs : this.#delay.afterFailure()
      return requeueAfter(Math.min(againMs, this.#troubles.waitMs() ?? againMs))
    }
    return this.#next(decisions.some(({ do: what }) => what !== 'nothing'))
  }

  /** What is as wanted is ours, whoever brought it: as it would be had we found something else there. */
  #adopt(decisions: readonly ItemDecision[]): void {
    for (const { item, policy, state } of decisions) {
      if (policy === 'current') this.#handler(item).adopt?.()
      if (state !== 'Failed') this.#troubles.over(item)
    }
  }

  /** Something may be open still: it became due, or was given, while the lane was at something else. */
  #next(isOpen: boolean): Outcome {
    const unseen = [...this.#looks].flatMap(([item, look]) => ('problem' in look ? [item] : []))
    // So that the next time somebody looks again.
    for (const item of unseen) this.#outdated.add(item)
    const isWhole = !this.#wishes.forgetPartial() && !this.#options.ledger.isUnread
    const isWell = isWhole && unseen.length === 0 && !isOpen
    if (isWell) this.#delay.succeeded()
    const waits = [this.#troubles.waitMs(), isWell ? undefined : this.#delay.afterFailure()]
    const waitMs = Math.min(...waits.flatMap((ms) => ms ?? []))
    return waitMs === Infinity ? settled : requeueAfter(waitMs)
  }

  #report(decision: ItemDecision): ItemReport {
    const { item } = decision
    const look = this.#looks.get(item)
    const failures = this.#troubles.failures(item)
    return {
      source: this.#handler(item).source,
      decision,
      ...(look && !('problem' in look) && { look }),
      ...(failures && { failures }),
    }
  }

  #handler(item: TrustItem): ItemHandler {
    return this.#options.handlers.find((each) => each.item === item)!
  }
}

const isChange = ({ do: what }: ItemDecision): boolean => what === 'write' || what === 'remove'
