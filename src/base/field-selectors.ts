import { InvalidInput } from './errors.ts'

/** A field selector: every term must hold. */
export type FieldSelector = readonly FieldTerm[]

export interface FieldTerm {
  /** `metadata.name`, `spec.nodeName`: which ones exist is for the kind to say. */
  readonly path: string
  readonly equal: boolean
  readonly value: string
}

/** Reads `metadata.name=a,status.phase!=Running`; `,`, `=` and `\` inside a value are written with `\` before them. */
export function parseFieldSelector(text: string): FieldSelector {
  return splitTerms(text)
    .filter((term) => term.trim() !== '')
    .map((term) => parsedTerm(term.trim()))
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

function parsedTerm(term: string): FieldTerm {
  const [, path, operator, value] = /^([\w.\-/[\]]+)\s*(==|=|!=)(.*)$/s.exec(term) ?? []
  if (path === undefined || value === undefined) {
    throw new InvalidInput(
      `field selector: cannot read ${JSON.stringify(term.slice(0, 80))}: write path=value or path!=value`,
    )
  }
  return { path, equal: operator !== '!=', value: unescaped(value, term) }
}

const escaped = (value: string): string => value.replace(/[\\,=]/g, (char) => `\\${char}`)

function unescaped(value: string, term: string): string {
  if (/^(?:[^\\=]|\\[\\,=])*$/s.test(value)) return value.replace(/\\([\\,=])/g, '$1')
  throw new InvalidInput(
    `field selector: ${JSON.stringify(term.slice(0, 80))} holds a bare = or a \\ that protects nothing`,
  )
}
