import type { NodeProblem, RolloutTarget } from './node-facts.ts'

export function formatTarget({ config, image }: RolloutTarget): string {
  return image === undefined
    ? `MachineConfig ${config}`
    : `MachineConfig ${config} / Image ${image}`
}

export function formatProblem({ kind, since }: NodeProblem): string {
  const what = kind === 'cordoned' ? 'cordoned by a user' : kind
  return `the node is ${what}${formatSince(since)}`
}

export const formatSince = (since: string | undefined): string =>
  since === undefined ? '' : ` since ${since}`

/** The first few texts and the number of the others, to keep conditions short. */
export function andMore(texts: readonly string[], most = 3, separator = ', '): string {
  const first = texts.slice(0, most).join(separator)
  return texts.length <= most ? first : `${first} and ${texts.length - most} more`
}

/** Bounds texts of other components, to keep conditions readable. */
export function shortened(text: string, most = 300): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`
}
