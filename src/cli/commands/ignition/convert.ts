import { convert } from '@machinist/ignition/convert/convert'
import { parseAsWritten } from '@machinist/ignition/convert/parse-any'
import type { IgnitionVersion } from '@machinist/ignition/convert/versions'
import type { IgnitionText, Warn } from './read-ignition.ts'
import { readIgnition, withOrigin } from './read-ignition.ts'

/** Converts a config to another version of the spec. */
export function convertText(
  text: IgnitionText,
  origin: string,
  to: IgnitionVersion,
  warn?: Warn,
): string {
  const config = readIgnition(text, origin, parseAsWritten, warn)
  const converted = withOrigin(origin, () => convert(config, to))
  return `${JSON.stringify(converted, null, 2)}\n`
}
