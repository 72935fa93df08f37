import { settled } from './outcome.ts'
import type { Outcome } from './outcome.ts'
import type { Controller, ReconcileContext } from './controller.ts'
import type { ControllerContext } from './controller-context.ts'

/** The tools of the controller, with the log and the signal of the reconcile. */
export interface StepContext extends ControllerContext, ReconcileContext {}

/** One pass of a reconcile: its facts, the plan for them, and how the writes ended. */
export type Pass<Facts, Plan, Result = void> = {
  readonly key: string
  readonly facts: Facts
  readonly plan: Plan
} & (
  | { readonly type: 'acted'; readonly result: Result }
  | { readonly type: 'failed'; readonly failure: unknown }
)

/** A pass whose writes succeeded. */
export type ActedPass<Facts, Plan, Result = void> = Pass<Facts, Plan, Result> & {
  readonly type: 'acted'
}

/** The result of a pass that changed the facts: gather and decide once more, in the same reconcile. */
export const decideAgain = { type: 'decideAgain' } as const

export type PassOutcome = Outcome | typeof decideAgain

/**
 * A controller as steps: gather → decide → announce → act → report. The steps are functions of the files with their names, so
 * that every controller reads the same.
 */
export interface ControllerSteps<Facts, Plan, Result = void> extends Pick<
  Controller,
  'name' | 'inputs' | 'outputs' | 'workers' | 'timeoutMs'
> {
  /**
   * Reads the facts of a key; undefined if there is nothing to decide, for example after a deletion. `previous` is the result
   * of the pass that ended with `decideAgain`; undefined in the first pass of a reconcile.
   */
  gather(
    key: string,
    context: StepContext,
    previous?: Result,
  ): Facts | undefined | Promise<Facts | undefined>
  /** Pure: the same facts give the same plan. */
  decide(facts: Facts): Plan
  /** Reports the plan before it is carried out, if readers must see the report before the writes. */
  announce?(plan: Plan, facts: Facts, context: StepContext): void | Promise<void>
  /** Writes the plan. Idempotent, and safe to interrupt. */
  act?(plan: Plan, facts: Facts, context: StepContext): Result | Promise<Result>
  /** Patches the status once and emits events and metrics. Runs in every pass, also if an earlier step failed. */
  report?(pass: Pass<Facts, Plan, Result>, context: StepContext): void | Promise<void>
  /** When to reconcile again, if no step failed; settled by default. Throws `Waiting` and `Stalled`. */
  next?(pass: ActedPass<Facts, Plan, Result>): PassOutcome
  /** The outcome after a failure, for a controller with its own back-off; by default the runner retries by error class. */
  recover?(failure: unknown, context: StepContext): Outcome | Promise<Outcome>
  /** Drops what is kept for a key without facts: metrics, memory. */
  forget?(key: string): void
}

/** No controller needs this many passes in a row: the limit stops a decision loop. */
const maxPasses = 20

/** The controller that takes the steps in order. The report does not depend on the success of the writes. */
export function stepController<Facts, Plan, Result = void>(
  tools: ControllerContext,
  steps: ControllerSteps<Facts, Plan, Result>,
): Controller {
  const { name, inputs, outputs, workers, timeoutMs } = steps
  return {
    name,
    inputs,
    outputs,
    ...(workers !== undefined && { workers }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    async reconcile(key, reconcileContext) {
      const context = { ...tools, ...reconcileContext }
      try {
        return await runPasses(steps, key, context)
      } catch (failure) {
        if (!steps.recover) throw failure
        return await steps.recover(failure, context)
      }
    },
  }
}

async function runPasses<Facts, Plan, Result>(
  steps: ControllerSteps<Facts, Plan, Result>,
  key: string,
  context: StepContext,
): Promise<Outcome> {
  let previous: Result | undefined
  for (let passes = 0; passes < maxPasses; passes++) {
    const { outcome, result } = await runPass(steps, key, context, previous)
    if (outcome.type !== 'decideAgain') return outcome
    previous = result
  }
  throw new Error(`${steps.name} made no progress on ${key} in ${maxPasses} passes`)
}

/** Returns no facts: they may be large, and the next pass gathers its own. */
async function runPass<Facts, Plan, Result>(
  steps: ControllerSteps<Facts, Plan, Result>,
  key: string,
  context: StepContext,
  previous: Result | undefined,
): Promise<{ readonly outcome: PassOutcome; readonly result?: Result }> {
  const facts = await steps.gather(key, context, previous)
  if (facts === undefined) {
    steps.forget?.(key)
    return { outcome: settled }
  }
  const plan = steps.decide(facts)
  const pass = await attempt(steps, { key, facts, plan }, context)
  await report(steps, pass, context)
  if (pass.type === 'failed') throw pass.failure
  return { outcome: steps.next?.(pass) ?? settled, result: pass.result }
}

async function attempt<Facts, Plan, Result>(
  steps: ControllerSteps<Facts, Plan, Result>,
  started: Pick<Pass<Facts, Plan, Result>, 'key' | 'facts' | 'plan'>,
  context: StepContext,
): Promise<Pass<Facts, Plan, Result>> {
  const { facts, plan } = started
  try {
    await steps.announce?.(plan, facts, context)
    const result = await steps.act?.(plan, facts, context)
    return { ...started, type: 'acted', result: result as Result }
  } catch (failure) {
    return { ...started, type: 'failed', failure }
  }
}

/** The failure of a write is the cause of what follows: a report that fails as well is logged only. */
async function report<Facts, Plan, Result>(
  steps: ControllerSteps<Facts, Plan, Result>,
  pass: Pass<Facts, Plan, Result>,
  context: StepContext,
): Promise<void> {
  try {
    await steps.report?.(pass, context)
  } catch (error) {
    if (pass.type === 'acted') throw error
    if (!context.signal.aborted) context.log.error('cannot report the failed reconcile', error)
  }
}
