import { withoutTrailing } from '@machinist/core/trimmed'

/** An entry of a policy for a path. */
export interface PathRule {
  readonly path: string
}

/**
 * The rule that applies to a file: a rule for exactly this path; otherwise for the nearest parent directory; otherwise a pattern.
 * A pattern beats a directory only if its prefix before the first wildcard is longer. The first of equal rules wins.
 */
export function closestRule<T extends PathRule>(path: string, rules: readonly T[]): T | undefined {
  let best: T | undefined
  let bestSpecificity = -1
  for (const rule of rules) {
    const specificity = specificityOf(path, rule.path)
    if (specificity > bestSpecificity) [best, bestSpecificity] = [rule, specificity]
  }
  return best
}

/** The specificity of a rule for a path; negative if it does not match. A fraction decides between patterns and directories. */
function specificityOf(path: string, rule: string): number {
  if (rule === path) return Number.MAX_SAFE_INTEGER
  if (isDirectoryAbove(rule, path)) return withoutTrailing(rule, '/').length
  const wildcard = rule.search(/[*?]/)
  // Of two patterns with the same prefix the longer one is more specific. The fraction keeps it below a directory.
  if (wildcard === -1 || !matchesPattern(path, rule)) return -1
  return wildcard - 0.5 + Math.min(rule.length, 4096) / 8192.5
}

function isDirectoryAbove(rule: string, path: string): boolean {
  const directory = withoutTrailing(rule, '/')
  if (directory === '') return rule !== ''
  return path.startsWith(`${directory}/`)
}

/** PATH_MAX of Linux. The time to match grows with the product of both lengths. */
const longestPath = 4096

/** `?` matches one character and `*` any number of characters, except `/`; `**` also matches `/`. */
export function matchesPattern(path: string, pattern: string): boolean {
  if (path.length > longestPath || pattern.length > longestPath) return false
  const tokens = pattern.match(/\*\*+|[^]/gu) ?? []
  const characters = Array.from(path)
  // Dynamic programming instead of backtracking: no pattern takes exponential time.
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
