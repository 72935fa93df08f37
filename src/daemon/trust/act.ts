import { messageOf } from '@machinist/core/errors'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import type { ItemDecision } from './decide/decide-item.ts'
import type { TrustPlan } from './decide/decide.ts'
import type { TrustFacts, TrustResult } from './facts/facts.ts'
import type { TrustSources } from './gather.ts'
import type { ItemHandler } from './items/item.ts'
import { RefusedInput } from './items/item.ts'

export interface TrustActContext
  extends
    Pick<TrustSources, 'source' | 'handlers' | 'ledger' | 'memory'>,
    Pick<StepContext, 'log' | 'signal'> {}

/** Fetches the payload, or writes to the disk. A failed item does not affect others. */
export async function act(
  { next, decisions }: TrustPlan,
  { desired, previous }: TrustFacts,
  context: TrustActContext,
): Promise<TrustResult> {
  const { memory, ledger } = context
  switch (next.action) {
    case 'wait':
      return { type: 'waiting' }
    case 'fetch':
      return fetchPayload(context)
    case 'apply': {
      const isComplete = await applyAll(next.changes, next.payload, context)
      if (!isComplete) return { type: 'stopped' }
      const items = new Set(next.changes.map(({ item }) => item))
      memory.delay.done(desired, [...items])
      return { type: 'applied', items }
    }
    case 'backOff':
      for (const decision of next.reverted) {
        const message = 'another writer changed it right after it was written'
        memory.failures.add(decision.item, { desired: decision.desired, message })
      }
      return { type: 'backingOff' }
    case 'settle':
      if (!previous) memory.delay.done(desired, [])
      settle(decisions, context)
      await ledger.save()
      return { type: 'settled' }
  }
}

async function fetchPayload({
  source,
  handlers,
  memory,
  log,
  signal,
}: TrustActContext): Promise<TrustResult> {
  try {
    const payload = await source.fetch(handlers, signal)
    memory.failures.retryNow()
    return { type: 'fetched', payload }
  } catch (error) {
    if (signal.aborted) return { type: 'stopped' }
    log.error('cannot read the ControllerConfig', error)
    return { type: 'unreachable' }
  }
}

/** Returns false if the daemon stops. */
async function applyAll(
  changes: readonly ItemDecision[],
  payload: ControllerConfig | undefined,
  context: TrustActContext,
): Promise<boolean> {
  for (const change of changes) {
    await applyItem(change, payload, context)
    if (context.signal.aborted) return false
  }
  return true
}

async function applyItem(
  { item, action, desired }: ItemDecision,
  payload: ControllerConfig | undefined,
  { handlers, memory, log, signal }: TrustActContext,
): Promise<void> {
  const handler = handlerOf(item, handlers)
  try {
    const request = { desired: desired ?? '', signal, ...(payload && { payload }) }
    const result = action === 'write' ? await handler.apply(request) : await handler.remove?.()
    const { written = [], failures = new Map<string, string>() } = result ?? {}
    memory.addWritten(written)
    if (failures.size > 0) {
      const message = [...failures].map(([name, why]) => `${name}: ${why}`).join('; ')
      memory.failures.add(item, { desired, message, failures })
      log.error('cannot deliver every part of the item', new Error(message), { item })
    }
  } catch (error) {
    if (signal.aborted) return
    const isFinal = error instanceof RefusedInput
    memory.failures.add(item, { desired, message: messageOf(error), isFinal })
    const message = isFinal ? 'the source of the item is unusable' : 'cannot deliver the item'
    log.error(message, error, { item })
  }
  memory.outdated.add(item)
}

/** Takes ownership of current items, whichever writer wrote them, and clears failures that are over. */
function settle(decisions: readonly ItemDecision[], { handlers, memory }: TrustActContext): void {
  for (const { item, check, state } of decisions) {
    if (check === 'current') handlerOf(item, handlers).adopt?.()
    if (state !== 'Failed') memory.failures.clear(item)
  }
}

const handlerOf = (item: ItemDecision['item'], handlers: readonly ItemHandler[]): ItemHandler =>
  handlers.find((each) => each.item === item)!
