import type { NodeProblem, Target } from './node-facts.ts'

export function targetInWords({ config, image }: Target): string {
  return image === undefined
    ? `MachineConfig ${config}`
    : `MachineConfig ${config} / Image ${image}`
}

export function problemInWords({ kind, since }: NodeProblem): string {
  const what = kind === 'cordoned' ? 'cordoned by a user' : kind
  return `it is ${what}${sinceInWords(since)}`
}

export const sinceInWords = (since: string | undefined): string =>
  since === undefined ? '' : ` since ${since}`

/** The first few, and how many more: conditions are read by people. */
export function andMore(texts: readonly string[], most = 3, separator = ', '): string {
  const shown = texts.slice(0, most).join(separator)
  return texts.length <= most ? shown : `${shown} and ${texts.length - most} more`
}

/** What others wrote may be long; a condition has to stay readable. */
export function shortened(text: string, most = 300): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`
}
