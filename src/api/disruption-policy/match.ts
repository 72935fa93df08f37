import { withoutTrailing } from '@machinist/core/trimmed'

/** Something that a policy says about a path. */
export interface PathRule {
  readonly path: string
}

/**
 * The rule for a file: the one for exactly this path; else the one for the nearest directory above it; else a pattern.
 * A pattern is preferred to a directory only if what comes before its first wildcard is longer. Of equals the first wins.
 */
export function closestRule<T extends PathRule>(path: string, rules: readonly T[]): T | undefined {
  let best: T | undefined
  let bestWeight = -1
  for (const rule of rules) {
    const weight = weightOf(path, rule.path)
    if (weight > bestWeight) [best, bestWeight] = [rule, weight]
  }
  return best
}

/** How much a rule says about a path; below 0: nothing. Halves decide between a pattern and a directory. */
function weightOf(path: string, rule: string): number {
  if (rule === path) return Number.MAX_SAFE_INTEGER
  if (isDirectoryAbove(rule, path)) return withoutTrailing(rule, '/').length
  const wildcard = rule.search(/[*?]/)
  // Of two patterns with the same beginning the longer one says more: a fraction, as it must not beat a directory.
  if (wildcard === -1 || !matchesPattern(path, rule)) return -1
  return wildcard - 0.5 + Math.min(rule.length, 4096) / 8192.5
}

function isDirectoryAbove(rule: string, path: string): boolean {
  const directory = withoutTrailing(rule, '/')
  if (directory === '') return rule !== ''
  return path.startsWith(`${directory}/`)
}

/** Linux has no longer ones, and comparing takes the product of both lengths. */
const longestPath = 4096

/** `?` is one character, `*` any number of them, both within one part of the path; `**` also crosses parts. */
export function matchesPattern(path: string, pattern: string): boolean {
  if (path.length > longestPath || pattern.length > longestPath) return false
  const tokens = pattern.match(/\*\*+|[^]/gu) ?? []
  const characters = Array.from(path)
  // Row by row instead of trying: no pattern can make it slow.
  let reached = [true, ...characters.map(() => false)]
  for (const token of tokens) {
    const next: boolean[] = []
    const star = token.startsWith('*')
    for (let at = 0; at < reached.length; at++) {
      const previous = characters[at - 1]
      next[at] = star
        ? reached[at]! || (at > 0 && next[at - 1]! && crosses(token, previous!))
        : at > 0 && reached[at - 1]! && isMatch(token, previous!)
    }
    reached = next
  }
  return reached.at(-1)!
}

const crosses = (star: string, character: string): boolean => star.length > 1 || character !== '/'

const isMatch = (token: string, character: string): boolean =>
  token === '?' ? character !== '/' : token === character
