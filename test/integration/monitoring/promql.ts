/** A metric of an expression. promtool validates the syntax; this parser only finds metrics and labels. */
export interface Selector {
  readonly metric: string
  /** Labels in its matchers. */
  readonly by: readonly string[]
}

export interface Grouping {
  readonly labels: readonly string[]
  /** Metrics that must have these labels. */
  readonly metrics: readonly string[]
}

const words = new Set(['and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan'])
const lists = String.raw`\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)|\bgroup_(?:left|right)\b`

export function selectorsIn(expression: string): Selector[] {
  const bare = withoutTexts(expression)
    .replaceAll(new RegExp(lists, 'g'), ' ')
    .replaceAll(/\[[^\]]*\]/g, ' ')
  return Array.from(bare.matchAll(/\b([a-zA-Z_:][\w:]*)\b\s*(\(|\{[^}]*\})?/g)).flatMap(
    ([, name = '', then = '']) => {
      // The pattern does not match units of numbers and durations: they follow a digit.
      if (then === '(' || words.has(name.toLowerCase())) return []
      return [{ metric: name, by: Array.from(then.matchAll(/(\w+)\s*[=!]/g), ([, by]) => by!) }]
    },
  )
}

/** `sum by (pool) (…)`: the metrics inside must have the label pool. */
export function groupingsIn(expression: string): Grouping[] {
  const bare = withoutTexts(expression)
  return Array.from(bare.matchAll(/\bby\s*\(([^)]*)\)\s*\(/g), (found) => {
    const from = found.index + found[0].length
    const inner = bare.slice(from, closing(bare, from))
    return {
      labels: found[1]!
        .split(',')
        .map((label) => label.trim())
        .filter(Boolean),
      metrics: selectorsIn(inner).map(({ metric }) => metric),
    }
  })
}

const withoutTexts = (expression: string): string =>
  expression.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""')

function closing(text: string, from: number): number {
  let depth = 1
  for (let at = from; at < text.length; at++) {
    if (text[at] === '(') depth += 1
    if (text[at] === ')') depth -= 1
    if (depth === 0) return at
  }
  return text.length
}
