import { InvalidInput } from './errors.ts'

/** A field selector: every term must hold. */
export type FieldSelector = readonly FieldTerm[]

export interface FieldTerm {
  /** `metadata.name`, `spec.nodeName`: which ones exist is for the kind to say. */
  readonly path: string
  readonly equal: boolean
  readonly value: string
}

/**
 * Reads `metadata.name=a,status.phase!=Running`; `,`, `=` and `\` inside a value are written with `\` before them. Blanks
 * belong to paths and values. What cannot be read is InvalidInput in the words that people know from kubectl.
 */
export function parseFieldSelector(text: string): FieldSelector {
  return (
    splitTerms(text)
      .filter((term) => term !== '')
      .map((term) => parsedTerm(term, text))
      // `=` alone asks nothing of nothing.
      .filter(({ path, value }) => path !== '' || value !== '')
  )
}

export function formatFieldSelector(selector: FieldSelector): string {
  return selector
    .map(({ path, equal, value }) => `${path}${equal ? '=' : '!='}${escaped(value)}`)
    .join(',')
}

/** `field` gives the text of a path; a field that is not set counts as empty. */
export function matchesFields(
  selector: FieldSelector,
  field: (path: string) => string | undefined,
): boolean {
  return selector.every((term) => ((field(term.path) ?? '') === term.value) === term.equal)
}

/** Cut at the commas that no backslash protects. */
function splitTerms(text: string): string[] {
  const terms: string[] = []
  let from = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === ',') {
      terms.push(text.slice(from, i))
      from = i + 1
    }
  }
  return [...terms, text.slice(from)]
}

/** The first operator parts path and value: a path has no way to contain one. */
function parsedTerm(term: string, whole: string): FieldTerm {
  const [, path, operator, value] = /^(.*?)(!=|==|=)(.*)$/s.exec(term) ?? []
  if (path === undefined || value === undefined) {
    throw new InvalidInput(`invalid selector: '${whole}'; can't understand '${term}'`)
  }
  return { path, equal: operator !== '!=', value: unescaped(value) }
}

const escaped = (value: string): string => value.replace(/[\\,=]/g, (char) => `\\${char}`)

function unescaped(value: string): string {
  return value.replace(/\\(.?)|=/gsu, (found: string, protectedChar: string | undefined) => {
    if (found === '=') throw unescapedEquals()
    if (protectedChar !== undefined && '\\,='.includes(protectedChar) && protectedChar !== '') {
      return protectedChar
    }
    throw new InvalidInput(`invalid field selector: invalid escape sequence: ${found}`)
  })
}

/** 61 is `=`; the server names it by its number. */
const unescapedEquals = (): InvalidInput =>
  new InvalidInput('invalid field selector: unescaped character in value: 61')
