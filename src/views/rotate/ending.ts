import { nodesWithReasons } from '../wording.ts'
import type { RotationProgress } from './progress.ts'
import { durationText } from './times.ts'

/** How the observation of a rotation ends. */
export type ObserveEnding =
  /** The awaited state is reached. */
  | { readonly type: 'done' }
  /** The user stopped it. */
  | { readonly type: 'stopped' }
  | { readonly type: 'timeout'; readonly afterMs: number }
  /** The signer does not react. */
  | { readonly type: 'noReaction'; readonly why: string }

export type EndingMessage =
  | { readonly type: 'summary' }
  | { readonly type: 'note'; readonly text: string }
  | { readonly type: 'failure'; readonly text: string }

/** The command that shows the rotation again. */
export const watchCommand = (rotation: string): string =>
  `machinist rotate ${rotation} --status --watch`

/** Pure: the message for an ending. */
export function endingMessage(
  ending: ObserveEnding,
  last: RotationProgress,
  endsByItself: boolean,
): EndingMessage {
  const { rotation, phase, current } = last
  switch (ending.type) {
    case 'stopped':
      return {
        type: 'note',
        text: `The rotation continues. To watch it: ${watchCommand(rotation)}`,
      }
    case 'timeout': {
      const state = phase === undefined ? 'has not started' : `is still ${phase}`
      const after = durationText(ending.afterMs)
      return {
        type: 'failure',
        text: `${rotation} ${state} after ${after}${delayedBy(last)}. The rotation continues: ${watchCommand(rotation)}`,
      }
    }
    case 'noReaction':
      return {
        type: 'failure',
        text: `${ending.why}. The request is stored, and the next signer that runs carries it out.`,
      }
    case 'done': {
      if (phase === 'Completed') return { type: 'summary' }
      const now = `The current CA is ${current?.name}.`
      const text = endsByItself
        ? `${now} To watch the rotation: ${watchCommand(rotation)}`
        : `${now} Time alone decides about the next steps: see machinist certs`
      return { type: 'note', text }
    }
  }
}

function delayedBy({ nodes }: RotationProgress): string {
  const all = nodes?.waitedFor ?? []
  return all.length === 0 ? '' : `, delayed by ${nodesWithReasons(all, 5)}`
}
