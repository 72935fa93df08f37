import type { Difference } from '../verify/difference.ts'

/** As much as people read in one go, and an annotation holds. */
const mostCharacters = 1700

/** Everything that differs, in one line. */
export function inWords(differences: readonly Difference[]): string {
  const said: string[] = []
  let length = 0
  for (const { at, what } of differences) {
    const clause = `${at} ${what}`
    length += clause.length + 2
    if (length > mostCharacters && said.length > 0) break
    said.push(clause)
  }
  const left = differences.length - said.length
  return left === 0 ? said.join('; ') : `${said.join('; ')}; and ${left} more`
}
