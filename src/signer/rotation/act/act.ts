import { messageOf } from '@machinist/core/errors'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import type { IssuanceRandom } from '@machinist/pki/issue'
import type { ProceedPlan, RotationPlan } from '../decide/decide.ts'
import type { RotationWrite } from '../decide/plan-certificates.ts'
import type { RotationFacts } from '../facts/facts.ts'
import { makeWrite } from './make-write.ts'
import { objectText, whyText } from './object-text.ts'
import type { RefusedWrites } from './refused-writes.ts'
import { RefusedWrite, StaleObject } from './store.ts'

export interface RotationActContext extends Pick<StepContext, 'client' | 'log' | 'signal'> {
  readonly refused: RefusedWrites
  readonly chance?: IssuanceRandom | undefined
}

export interface RotationResult {
  readonly written: readonly RotationWrite[]
  /** The messages of rejected writes. */
  readonly refusals: readonly string[]
  /** When to reconcile again because of the writes. */
  readonly soonMs: number
  /** A failure that a retry may resolve, with a message in case it does not. */
  readonly failure?: { readonly error: unknown; readonly message: string }
}

/** Makes the writes of a plan in order until one fails; the next pass continues from the state then. */
export async function act(
  plan: RotationPlan,
  { object }: RotationFacts,
  context: RotationActContext,
): Promise<RotationResult> {
  if (plan.type === 'proceed') return await makeWrites(plan, context)
  if (plan.type === 'invalid') context.refused.forget(object.metadata.name)
  return { written: [], refusals: [], soonMs: Infinity }
}

async function makeWrites(
  { writes, facts }: ProceedPlan,
  context: RotationActContext,
): Promise<RotationResult> {
  const { object, rotation, now } = facts
  const { refused, log } = context
  const written: RotationWrite[] = []
  const refusals: string[] = []
  let soonMs = Infinity
  // Includes the writes of this pass, which the caches show later.
  let { found } = facts
  for (const write of writes) {
    const tried = { object, found }
    const refusal = refused.why(write, tried)
    if (refusal !== undefined) {
      refusals.push(refusal)
      continue
    }
    const what = objectText(write, rotation)
    try {
      found = await makeWrite(write, { ...context, rotation, found, now })
    } catch (error) {
      if (error instanceof StaleObject) return { written, refusals, soonMs: catchUpMs }
      if (!(error instanceof RefusedWrite)) {
        const message = `${what} cannot be written: ${messageOf(error)}`
        return { written, refusals, soonMs, failure: { error, message } }
      }
      refused.note(write, tried, error.message)
      refusals.push(error.message)
      continue
    }
    written.push(write)
    log.info('wrote an object of the rotation', { what, why: whyText(write) })
    // The next pass must not depend on the watch event of this write.
    soonMs = catchUpMs
    // All other writes depend on the current CA.
    if (write.type === 'signer') break
  }
  return { written, refusals, soonMs }
}
