import { isObject } from '@machinist/core/encoding/json'

/** An event since the intent was written: one line of the journal's log. Part of the journal's format. */
export type Mark =
  /** This action of the plan, counted from 0, is about to run. */
  | { readonly acting: number }
  /** The rollback begins, for this reason. */
  | { readonly rollback: string }
  /** A reboot is about to be requested, in this boot, for this reason. */
  | { readonly reboot: string; readonly bootId: string; readonly back?: true }
  /** The daemon stopped the update on request. */
  | { readonly parked: true }
  /** The update was resumed, in this boot. */
  | { readonly resumed: string }

export function marksIn(log: string): Mark[] {
  return log.split('\n').flatMap(markIn)
}

/** A line that a crash cut off holds no mark. */
function markIn(line: string): Mark[] {
  try {
    const mark: unknown = JSON.parse(line)
    return isObject(mark) ? [mark as Mark] : []
  } catch {
    return []
  }
}

export const rebootIn = (marks: readonly Mark[]): Extract<Mark, { reboot: string }> | undefined =>
  marks.findLast((mark) => 'reboot' in mark)

export const rollbackIn = (marks: readonly Mark[]): string | undefined =>
  marks.find((mark) => 'rollback' in mark)?.rollback

/** How often the update was resumed after it was interrupted, not parked. */
export const interruptionsIn = (marks: readonly Mark[]): number =>
  marks.filter((mark, i) => 'resumed' in mark && !isParked(marks[i - 1])).length

/** The numbers of the actions that were started, with repetitions. */
export const startedActionsIn = (marks: readonly Mark[]): number[] =>
  marks.flatMap((mark) => ('acting' in mark ? [mark.acting] : []))

/** Whether the action is certainly done: a later one was started. */
export const isActionDone = (action: number, marks: readonly Mark[]): boolean =>
  rebootIn(marks) !== undefined || startedActionsIn(marks).some((started) => started > action)

const isParked = (mark: Mark | undefined): boolean => mark !== undefined && 'parked' in mark
