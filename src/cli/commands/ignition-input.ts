import { InvalidInput } from '@machinist/core/errors'
import { decodeRawConfig } from '@machinist/ignition/content-raw'
import type { Report } from '@machinist/ignition/report'
import { entryText } from '@machinist/ignition/report'

/** Someone's config. As bytes it may also be packed with gzip, in base64 or not. */
export type IgnitionText = string | Uint8Array

/** Receives a line about what is in a config and will not be in what is made of it. */
export type Warn = (line: string) => void

/** Unpacks and reads a config; what is wrong with it is thrown on one line that names the file. */
export function readIgnition<C>(
  text: IgnitionText,
  origin: string,
  parse: (source: IgnitionText) => { readonly config?: C; readonly report: Report },
  warn: Warn = () => undefined,
): C {
  const source = typeof text === 'string' ? text : naming(origin, () => decodeRawConfig(text))
  const { config, report } = parse(source)
  refuseFatal(report, origin)
  for (const entry of report.entries) {
    if (entry.mistake) warn(`${origin}: ${entryText(entry)}`)
  }
  return config!
}

export function refuseFatal(report: Report, origin: string): void {
  if (!report.fatal) return
  const errors = report.entries.filter(({ level }) => level === 'error')
  const shown = errors.slice(0, shownAtMost).map((entry) => entryText(entry))
  const more = errors.length - shown.length
  if (more > 0) shown.push(`and ${more} more`)
  throw new InvalidInput(`${origin}: ${shown.join('; ')}`)
}

/** Puts the name of the file before whatever is wrong with it. */
export function naming<T>(origin: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw new InvalidInput(`${origin}: ${error.message}`, { cause: error })
  }
}

/** Enough to act on; a file of another kind can be wrong in thousands of places. */
const shownAtMost = 10
