import { isObject } from '@machinist/core/json'

/** What happened since the intent was noted, one line each. */
export type Mark =
  /** This action of the plan, counted from 0, is about to be taken. */
  | { readonly acting: number }
  /** It goes back from here, because of this. */
  | { readonly rollback: string }
  /** The machine is about to be told to reboot; it is in this boot. */
  | { readonly reboot: string; readonly bootId: string; readonly back?: true }
  /** Stopped because somebody asked for it. */
  | { readonly parked: true }
  /** Taken up again, in this boot. */
  | { readonly resumed: string }

export function marksIn(log: string): Mark[] {
  return log.split('\n').flatMap(markIn)
}

/** None in a line that a crash cut off: that mark was never made. */
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

/** How often it was taken up again after something that nobody asked for. */
export const accidentsIn = (marks: readonly Mark[]): number =>
  marks.filter((mark, i) => 'resumed' in mark && !isParked(marks[i - 1])).length

/** Which of the plan's actions were begun; more than once, if so. */
export const begunIn = (marks: readonly Mark[]): number[] =>
  marks.flatMap((mark) => ('acting' in mark ? [mark.acting] : []))

/** Done for sure: something later was begun. */
export const isPast = (action: number, marks: readonly Mark[]): boolean =>
  rebootIn(marks) !== undefined || begunIn(marks).some((begun) => begun > action)

const isParked = (mark: Mark | undefined): boolean => mark !== undefined && 'parked' in mark
