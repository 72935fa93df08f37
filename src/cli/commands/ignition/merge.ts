import { parseAnyVersion } from '@machinist/ignition/convert/parse-any'
import { merge } from '@machinist/ignition/merge'
import { validate } from '@machinist/ignition/validate/validate'
import type { IgnitionText, Warn } from './read-ignition.ts'
import { readIgnition, rejectFatal } from './read-ignition.ts'

export interface IgnitionInput {
  readonly text: IgnitionText
  /** Its name in messages: the file name. */
  readonly origin: string
}

/** Merges configs of any supported version. Later configs win; the contents of a file are replaced as a whole. */
export function mergeTexts(inputs: readonly IgnitionInput[], warn?: Warn): string {
  const configs = inputs.map(({ text, origin }) =>
    readIgnition(text, origin, parseAnyVersion, warn),
  )
  const merged = merge(configs, { contentsAsOne: true })
  rejectFatal(validate(merged), 'the merged config is not valid')
  return `${JSON.stringify(merged, null, 2)}\n`
}
