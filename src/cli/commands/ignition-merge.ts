import { parseAnyVersion } from '@machinist/ignition/convert/parse-any'
import { merge } from '@machinist/ignition/merge'
import { validate } from '@machinist/ignition/validate/validate'
import type { IgnitionText, Warn } from './ignition-input.ts'
import { readIgnition, refuseFatal } from './ignition-input.ts'

export interface IgnitionInput {
  readonly text: IgnitionText
  /** How people know it: a file's name. */
  readonly origin: string
}

/** Merges configs of any supported version; where two disagree, the later one wins, a file's contents as a whole. */
export function mergeTexts(inputs: readonly IgnitionInput[], warn?: Warn): string {
  const configs = inputs.map(({ text, origin }) =>
    readIgnition(text, origin, parseAnyVersion, warn),
  )
  const merged = merge(configs, { contentsAsOne: true })
  refuseFatal(validate(merged), 'the merged config is not valid')
  return `${JSON.stringify(merged, null, 2)}\n`
}
