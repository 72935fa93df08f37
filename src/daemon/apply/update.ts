import type { MachineConfig } from '../../api/kinds/resources.ts'
import type { UpdatePlan } from '../../planner/model/update-plan.ts'
import type { Difference } from '../verify/difference.ts'

/** One update of this machine. Part of the journal's format: keys and values must not change. */
export interface Update {
  readonly plan: UpdatePlan
  readonly current: MachineConfig
  readonly desired: MachineConfig
  /** The layered image, if any: stored with the config. */
  readonly desiredImage?: string
}

/** The phase of an update, for reports. */
export type UpdatePhase = 'files' | 'units' | 'os' | 'actions' | 'rebooting' | 'rollingBack'

export interface UpdateRun {
  /** Called when a phase begins. */
  readonly progress: (phase: UpdatePhase) => void
  /** When it aborts, the current operation finishes, and `resume` does the rest. */
  readonly signal: AbortSignal
}

export type UpdateOutcome =
  /** All steps are done and verified. */
  | { readonly type: 'applied' }
  /** The machine reboots; `resume` does the rest afterwards. */
  | { readonly type: 'rebooting'; readonly reason: string }
  /** The signal aborted; the journal stays. */
  | { readonly type: 'parked' }
  /** The update failed, and the machine is in its previous state. */
  | { readonly type: 'rolledBack'; readonly error: Error }
  /** The update and its rollback failed; the journal stays, and `resume` retries. */
  | { readonly type: 'stuck'; readonly error: Error; readonly rollbackError: Error }
  /** All steps are done, but the machine differs from the config. */
  | { readonly type: 'unverified'; readonly differences: readonly Difference[] }

export interface InterruptedUpdate {
  readonly update: Update
  readonly rollingBack: boolean
  /** The reboot that the update requested, and whether it has happened. */
  readonly reboot?: { readonly reason: string; readonly happened: boolean }
}

/** Updates of one machine, one at a time. The daemon may be killed at any moment. */
export interface Updates {
  /** The update that was in progress when the daemon or the machine stopped, if any. */
  interrupted(): Promise<InterruptedUpdate | undefined>
  /** Runs all steps except `drain`, which the cluster does. Rejects while an interrupted update exists. */
  run(update: Update, run: UpdateRun): Promise<UpdateOutcome>
  /** Continues the interrupted update, or its rollback. */
  resume(run: UpdateRun): Promise<UpdateOutcome>
}
