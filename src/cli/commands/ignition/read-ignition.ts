import { InvalidInput } from '@machinist/core/errors'
import { decodeRawConfig } from '@machinist/ignition/content-raw'
import type { Report } from '@machinist/ignition/report/report'
import { entryText } from '@machinist/ignition/report/report'

/** A config as the user wrote it. Bytes can also be gzip, with or without base64. */
export type IgnitionText = string | Uint8Array

/** Receives a warning about a part of a config that the output does not contain. */
export type Warn = (line: string) => void

/** Decompresses and parses a config. An error is thrown as one line that names the file. */
export function readIgnition<C>(
  text: IgnitionText,
  origin: string,
  parse: (source: IgnitionText) => { readonly config?: C; readonly report: Report },
  warn: Warn = () => undefined,
): C {
  const source = typeof text === 'string' ? text : withOrigin(origin, () => decodeRawConfig(text))
  const { config, report } = parse(source)
  rejectFatal(report, origin)
  for (const entry of report.entries) {
    if (entry.mistake) warn(`${origin}: ${entryText(entry)}`)
  }
  return config!
}

export function rejectFatal(report: Report, origin: string): void {
  if (!report.fatal) return
  const errors = report.entries.filter(({ level }) => level === 'error')
  const shown = errors.slice(0, maxErrors).map((entry) => entryText(entry))
  const more = errors.length - shown.length
  if (more > 0) shown.push(`and ${more} more`)
  throw new InvalidInput(`${origin}: ${shown.join('; ')}`)
}

/** Prefixes an error with the name of the file. */
export function withOrigin<T>(origin: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw new InvalidInput(`${origin}: ${error.message}`, { cause: error })
  }
}

/** A file of another kind can have thousands of errors. */
const maxErrors = 10
