import { parseAnyVersion } from '../../ignition/convert/parse-any.ts'
import type { Level, ReportEntry } from '../../ignition/report.ts'
import { entryText, pathText } from '../../ignition/report.ts'

/** What `machinist ignition validate` prints as JSON. */
export interface ValidationJson {
  readonly valid: boolean
  /** As the config names it; absent if it names none. */
  readonly version?: string
  readonly entries: readonly ValidationEntry[]
}

export interface ValidationEntry {
  readonly level: Level
  readonly path: string
  readonly message: string
  readonly line?: number
  readonly column?: number
}

export interface Validation {
  readonly fatal: boolean
  /** Everything there is to say, one line each. */
  readonly lines: readonly string[]
  /** Why the config cannot be used, in one line; absent if it can. */
  readonly problem?: string
  readonly json: ValidationJson
}

/** Validates a config of any version. `origin` is how to call it: the name of a file, or `standard input`. */
export function validateText(text: string | Uint8Array, origin: string): Validation {
  const { version, report } = parseAnyVersion(text)
  const { entries, fatal } = report
  const errors = entries.filter(({ level }) => level === 'error')
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  return {
    fatal,
    lines: entries.map((entry) => `${origin}: ${entryText(entry)}`),
    ...(errors[0] && { problem: `${origin} is not valid: ${entryText(errors[0])}${more}` }),
    json: {
      valid: !fatal,
      ...(version !== undefined && { version }),
      entries: entries.map(entryJson),
    },
  }
}

function entryJson({ level, path, message, position }: ReportEntry): ValidationEntry {
  return { level, path: pathText(path), message, ...position }
}
