import type { MachineConfig } from '../../api/resources.ts'
import type { UpdatePlan } from '../../planner/update-plan.ts'
import type { Difference } from '../verify/difference.ts'

/** One update of this machine, with all that it takes to do and to undo it. */
export interface Update {
  readonly plan: UpdatePlan
  readonly current: MachineConfig
  readonly desired: MachineConfig
  /** Layered image, where there is one: stored with the config. */
  readonly desiredImage?: string
}

/** Where an update is, for reports. */
export type Phase = 'files' | 'units' | 'os' | 'actions' | 'rebooting' | 'rollingBack'

export interface Run {
  /** Called when a phase begins. */
  readonly progress: (phase: Phase) => void
  /** When it aborts, what is being done is finished, and the rest is left to `resume`. */
  readonly signal: AbortSignal
}

export type Outcome =
  /** Everything is done and verified. */
  | { readonly is: 'applied' }
  /** The machine goes down; what is left is done by `resume` after it is back. */
  | { readonly is: 'rebooting'; readonly reason: string }
  /** The signal came; the journal stays. */
  | { readonly is: 'parked' }
  /** It did not work, and the machine is exactly as before. */
  | { readonly is: 'rolledBack'; readonly error: Error }
  /** Neither worked; the journal stays, so that `resume` tries again. */
  | { readonly is: 'stuck'; readonly error: Error; readonly rollbackError: Error }
  /** All was done, and the machine came back, but not as it should be. */
  | { readonly is: 'unverified'; readonly differences: readonly Difference[] }

export interface Interrupted {
  readonly update: Update
  readonly rollingBack: boolean
  /** Why the node was going to reboot, if it was; and whether it has. */
  readonly reboot?: { readonly reason: string; readonly happened: boolean }
}

/** Updates of one machine, one at a time; safe to be killed at any moment. */
export interface Updates {
  /** What was under way when the daemon or the machine stopped; undefined: nothing. */
  interrupted(): Promise<Interrupted | undefined>
  /** Does all steps but `drain`, which is the cluster's. Refuses while something is interrupted. */
  run(update: Update, run: Run): Promise<Outcome>
  /** Goes on, forwards or backwards, with what was interrupted. */
  resume(run: Run): Promise<Outcome>
}
