/**
 * Go's regular expressions (RE2) in JavaScript. The common syntax is the same; translated are flags at the start
 * (`(?i)`), named groups (`(?P<n>`), `\A`, `\z`, `\Q…\E`, POSIX classes and single-letter Unicode classes (`\pL`).
 * Not supported: flags in the middle, `\C`, and RE2's promise of linear time.
 */
export function compilePattern(pattern: string): RegExp {
  const known = compiled.get(pattern)
  if (known) return known
  const made = translate(pattern)
  if (compiled.size >= most) compiled.clear()
  compiled.set(pattern, made)
  return made
}

/** Why Go would refuse the pattern, in its words where they are known; undefined for a good one. */
export function patternProblem(pattern: string): string | undefined {
  const perl = /(?<!\\)\(\?(?:[=!]|<[=!])/.exec(pattern)
  if (perl) return `error parsing regexp: invalid or unsupported Perl syntax: \`${perl[0]}\``
  const reference = /(?<!\\)(?:\\\\)*(\\[1-9])/.exec(pattern)
  if (reference) return `error parsing regexp: invalid escape sequence: \`${reference[1]}\``
  try {
    compilePattern(pattern)
    return undefined
  } catch (error) {
    const why = (error as Error).message
    if (why.includes('Unterminated group')) {
      return `error parsing regexp: missing closing ): \`${pattern}\``
    }
    return `error parsing regexp: ${why}`
  }
}

const compiled = new Map<string, RegExp>()
const most = 2000

function translate(pattern: string): RegExp {
  let flags = ''
  const text = pattern
    .replace(/^\(\?([ims]+)\)/, (_, given: string) => {
      flags = given
      return ''
    })
    .replaceAll(/\\Q([\s\S]*?)(?:\\E|$)/g, (_, literal: string) =>
      literal.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`),
    )
    .replaceAll('(?P<', '(?<')
    .replaceAll(/\\([Az])/g, (_, edge: string) => (edge === 'A' ? '^' : '$'))
    .replaceAll(/\[:(\^?)(\w+):\]/g, (whole, not: string, name: string) =>
      not === '' ? (posix[name] ?? whole) : whole,
    )
    .replaceAll(/\\([pP])([A-Z])/g, String.raw`\$1{$2}`)
  try {
    return new RegExp(text, `${flags}u`)
  } catch {
    // Escapes such as `\-` outside a class are fine in Go and in JavaScript's older mode only.
    return new RegExp(text, flags)
  }
}

const posix: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  blank: String.raw`\t `,
  digit: '0-9',
  lower: 'a-z',
  punct: String.raw`!-\/:-@\[-\`{-~`,
  space: String.raw`\t\n\v\f\r `,
  upper: 'A-Z',
  word: String.raw`0-9A-Za-z_`,
  xdigit: '0-9A-Fa-f',
}
