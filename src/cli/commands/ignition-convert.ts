import { convert } from '@machinist/ignition/convert/convert'
import { parseAsWritten } from '@machinist/ignition/convert/parse-any'
import type { Version } from '@machinist/ignition/convert/versions'
import type { IgnitionText, Warn } from './ignition-input.ts'
import { naming, readIgnition } from './ignition-input.ts'

/** The same config in another version of the spec. */
export function convertText(text: IgnitionText, origin: string, to: Version, warn?: Warn): string {
  const config = readIgnition(text, origin, parseAsWritten, warn)
  const converted = naming(origin, () => convert(config, to))
  return `${JSON.stringify(converted, null, 2)}\n`
}
