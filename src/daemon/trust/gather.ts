import type { Logger } from '@machinist/core/log'
import { messageOf } from '@machinist/core/errors'
import type { DesiredTrust } from './desired/desired-trust.ts'
import type { DesiredTrustSource } from './desired/desired-trust-source.ts'
import type { ItemFacts, TrustFacts, TrustResult, UnreadableItem } from './facts/facts.ts'
import type { ItemHandler, ObservedItem } from './items/item.ts'
import type { Ledger } from './items/ledger.ts'
import type { TrustMemory } from './memory/memory.ts'
import type { TrustWatch } from './trust-watch.ts'
import type { LaneView } from './view/view.ts'

/** The sources of the facts. */
export interface TrustSources {
  readonly source: DesiredTrustSource
  readonly handlers: readonly ItemHandler[]
  readonly ledger: Ledger
  readonly view: LaneView
  readonly watch: Pick<TrustWatch, 'arm'>
  readonly memory: TrustMemory
}

/** Reads the desired trust and the disk. Undefined without a ControllerConfig: the disk stays as it is. */
export async function gather(
  sources: TrustSources,
  previous: TrustResult | undefined,
  log: Logger,
): Promise<TrustFacts | undefined> {
  const { source, handlers, ledger, view, watch, memory } = sources
  if (!previous && (await ledger.read())) memory.invalidateAt('any', handlers)
  // Watch first: a change during the pass causes another one.
  watch.arm(handlers.flatMap((handler) => handler.watched()))
  const config = source.observed()
  if (!config) {
    view.update(undefined)
    return undefined
  }
  ledger.setDelivery(config.delivery)
  await observe(sources, log)
  const desired = source.desired(config)
  // At once: what the config lane may write must not depend on the jitter of this lane.
  view.update(desired)
  return {
    config,
    desired,
    items: handlers.map((handler) => itemFacts(handler, desired, memory)),
    ...(previous && { previous }),
    ...(previous?.type === 'fetched' && { fetched: source.desiredIn(previous.payload) }),
  }
}

async function observe({ handlers, memory }: TrustSources, log: Logger): Promise<void> {
  for (const handler of handlers) {
    const { item } = handler
    if (memory.observed.has(item) && !memory.outdated.has(item)) continue
    memory.outdated.delete(item)
    memory.observed.set(item, await observeItem(handler, log))
  }
}

async function observeItem(
  handler: ItemHandler,
  log: Logger,
): Promise<ObservedItem | UnreadableItem> {
  try {
    return await handler.observe()
  } catch (error) {
    log.error('cannot read the item from disk', error, { item: handler.item })
    return { problem: messageOf(error) }
  }
}

function itemFacts(
  handler: ItemHandler,
  desired: DesiredTrust,
  { observed, failures, delay }: TrustMemory,
): ItemFacts {
  const { item, needsPayload } = handler
  const failure = failures.of(item)
  return {
    item,
    observed: observed.get(item)!,
    isRemovable: 'remove' in handler && handler.owns?.() === true,
    needsPayload,
    waitMs: delay.before(desired, [item]),
    ...(failure && { failure }),
  }
}
