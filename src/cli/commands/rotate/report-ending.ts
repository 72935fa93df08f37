import { InvalidInput } from '@machinist/core/errors'
import type { ObserveEnding } from '../../../views/rotate/ending.ts'
import { endingMessage } from '../../../views/rotate/ending.ts'
import type { RotationProgress } from '../../../views/rotate/progress.ts'
import { escapeControls } from '../../text/style.ts'
import type { RotateOutput } from './output.ts'

/** Prints how the observation ended. Throws InvalidInput if the rotation did not reach the awaited state. */
export function reportEnding(
  ending: ObserveEnding,
  last: RotationProgress,
  { isWatched, endsByItself }: { readonly isWatched: boolean; readonly endsByItself: boolean },
  output: RotateOutput,
): void {
  const message = endingMessage(ending, last, endsByItself)
  if (message.type === 'failure') throw new InvalidInput(escapeControls(message.text))
  if (ending.type === 'done' && !isWatched) output.progress(last)
  if (message.type === 'summary') return output.summary(last)
  output.note(message.text)
}
