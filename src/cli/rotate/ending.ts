import { InvalidInput } from '@machinist/core/errors'
import { harmless } from '../style.ts'
import { named } from '../../views/wording.ts'
import type { Output } from './output.ts'
import type { Progress } from '../../views/rotate/progress.ts'
import { lasting } from '../../views/rotate/times.ts'

/** How following a rotation ends. */
export type Ending =
  | { readonly is: 'over' }
  /** Somebody has seen enough. */
  | { readonly is: 'stopped' }
  | { readonly is: 'late'; readonly afterMs: number }
  /** Nobody reacts. */
  | { readonly is: 'unanswered'; readonly why: string }

/** How to see it again. */
export const toWatch = (rotation: string): string => `machinist rotate ${rotation} --status --watch`

/** Tells how it ended; InvalidInput if that is not how it should. */
export function tellEnding(
  ending: Ending,
  last: Progress,
  { isWatched, endsByItself }: { readonly isWatched: boolean; readonly endsByItself: boolean },
  output: Output,
): void {
  const { rotation, phase, current } = last
  if (ending.is === 'stopped') {
    return output.note(`It goes on by itself. How it is: ${toWatch(rotation)}`)
  }
  if (ending.is === 'late') {
    const how = phase === undefined ? 'has not begun' : `is still ${phase}`
    throw new InvalidInput(
      `${rotation} ${how} after ${lasting(ending.afterMs)}${heldUp(last)}. It goes on by itself: ${toWatch(rotation)}`,
    )
  }
  if (ending.is === 'unanswered') {
    throw new InvalidInput(
      `${ending.why}. What was asked for stays, and is done as soon as one does.`,
    )
  }
  if (!isWatched) output.progress(last)
  if (phase === 'Completed') return output.summary(last)
  const now = `The CA is ${current?.name} now.`
  output.note(
    endsByItself
      ? `${now} Follow it: ${toWatch(rotation)}`
      : `${now} Time alone decides how it goes on: see machinist certs`,
  )
}

function heldUp({ nodes }: Progress): string {
  const all = nodes?.waitedFor ?? []
  if (all.length === 0) return ''
  return harmless(`, held up by ${named(all, 5)}`)
}
