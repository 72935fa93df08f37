import type { TrustRotation } from '../../api/resources.ts'
import { messageOf } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import type { ActOptions } from './act.ts'
import { act } from './act.ts'
import { announce, writtenIn } from './announce.ts'
import type { Write } from './decide.ts'
import type { RefusedWrites } from './refused-writes.ts'
import { Overtaken, WriteRefused } from './store.ts'

export interface WritesOptions extends ActOptions {
  readonly object: Readonly<TrustRotation>
  readonly events: EventRecorder
  readonly log: Logger
  readonly refused: RefusedWrites
}

export interface Written {
  /** What the API server did not want. */
  readonly refusals: readonly string[]
  /** When to see to what follows from it. */
  readonly soonMs: number
  /** What may pass by itself, and in words, should it not. */
  readonly failure?: { readonly error: unknown; readonly message: string }
}

/** Makes the writes of a plan in their order, as far as it comes: the next pass sees what is there then. */
export async function makeWrites(
  writes: readonly Write[],
  options: WritesOptions,
): Promise<Written> {
  const refusals: string[] = []
  let soonMs = Infinity
  // With what this pass has written itself: the caches show that later.
  let { found } = options
  for (const write of writes) {
    const tried = { ...options, found }
    const refusal = options.refused.why(write, tried)
    if (refusal !== undefined) {
      refusals.push(refusal)
      continue
    }
    try {
      found = await act(write, tried)
    } catch (error) {
      if (error instanceof Overtaken) return { refusals, soonMs: catchUpMs }
      if (!(error instanceof WriteRefused)) {
        const what = writtenIn(write, options.rotation)
        const message = `${what} cannot be written: ${messageOf(error)}`
        return { refusals, soonMs, failure: { error, message } }
      }
      options.refused.note(write, tried, error.message)
      refusals.push(error.message)
      continue
    }
    announce(options.object, write, options.rotation, options)
    // The cache will tell of it; what follows from it must not depend on that.
    soonMs = catchUpMs
    // Everything else follows from who signs.
    if (write.to === 'signer') break
  }
  return { refusals, soonMs }
}
