import type { TrustRotation } from '../../../api/kinds/resources.ts'
import { messageOf } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import type { ActOptions } from './act.ts'
import { act } from './act.ts'
import { reportWrite, objectText } from '../report/report-write.ts'
import type { RotationWrite } from '../decision/decide.ts'
import type { RefusedWrites } from './refused-writes.ts'
import { StaleObject, RefusedWrite } from './store.ts'

export interface WritesOptions extends ActOptions {
  readonly object: Readonly<TrustRotation>
  readonly events: EventRecorder
  readonly log: Logger
  readonly refused: RefusedWrites
}

export interface WriteResult {
  /** The messages of rejected writes. */
  readonly refusals: readonly string[]
  /** When to reconcile again because of the writes. */
  readonly soonMs: number
  /** A failure that a retry may resolve, with a message in case it does not. */
  readonly failure?: { readonly error: unknown; readonly message: string }
}

/** Makes the writes of a plan in order until one fails; the next pass continues from the state then. */
export async function applyWrites(
  writes: readonly RotationWrite[],
  options: WritesOptions,
): Promise<WriteResult> {
  const refusals: string[] = []
  let soonMs = Infinity
  // Includes the writes of this pass, which the caches show later.
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
      if (error instanceof StaleObject) return { refusals, soonMs: catchUpMs }
      if (!(error instanceof RefusedWrite)) {
        const what = objectText(write, options.rotation)
        const message = `${what} cannot be written: ${messageOf(error)}`
        return { refusals, soonMs, failure: { error, message } }
      }
      options.refused.note(write, tried, error.message)
      refusals.push(error.message)
      continue
    }
    reportWrite(options.object, write, options.rotation, options)
    // The next pass must not depend on the watch event of this write.
    soonMs = catchUpMs
    // All other writes depend on the current CA.
    if (write.type === 'signer') break
  }
  return { refusals, soonMs }
}
