import { convert } from '../../ignition/convert/convert.ts'
import { parseAsWritten } from '../../ignition/convert/parse-any.ts'
import type { Version } from '../../ignition/convert/versions.ts'
import type { IgnitionText, Warn } from './ignition-input.ts'
import { naming, readIgnition } from './ignition-input.ts'

/** The same config in another version of the spec. */
export function convertText(text: IgnitionText, origin: string, to: Version, warn?: Warn): string {
  const config = readIgnition(text, origin, parseAsWritten, warn)
  const converted = naming(origin, () => convert(config, to))
  return `${JSON.stringify(converted, null, 2)}\n`
}
