import { InvalidInput } from '../errors.ts'

/** A field selector: all terms must match. */
export type FieldSelector = readonly FieldTerm[]

export interface FieldTerm {
  /** Such as `metadata.name`. The kind determines which fields are supported. */
  readonly path: string
  readonly equal: boolean
  readonly value: string
}

/**
 * Parses `metadata.name=a,status.phase!=Running`. In a value, `,`, `=` and `\` are escaped with `\`. White space is significant.
 * Throws InvalidInput with the message of the API server.
 */
export function parseFieldSelector(text: string): FieldSelector {
  return (
    splitTerms(text)
      .filter((term) => term !== '')
      .map((term) => parsedTerm(term, text))
      // A lone `=` is an empty term.
      .filter(({ path, value }) => path !== '' || value !== '')
  )
}

export function formatFieldSelector(selector: FieldSelector): string {
  return selector
    .map(({ path, equal, value }) => `${path}${equal ? '=' : '!='}${escaped(value)}`)
    .join(',')
}

/** `field` returns the value of a path; a field that is not set is equal to the empty string. */
export function matchesFields(
  selector: FieldSelector,
  field: (path: string) => string | undefined,
): boolean {
  return selector.every((term) => ((field(term.path) ?? '') === term.value) === term.equal)
}

/** Splits at commas that are not escaped. */
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

/** The first operator separates path and value; a path cannot contain an operator. */
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

/** 61 is `=`; the message of the API server contains the code point. */
const unescapedEquals = (): InvalidInput =>
  new InvalidInput('invalid field selector: unescaped character in value: 61')
