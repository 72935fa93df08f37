/** Invalid input of a filter. The message has the expected type, never the value. */
export class FilterProblem extends Error {}

/** Filters of Machinist, in addition to the library's filters that `liquid.ts` allows. */
export const filters = {
  /** Indents every line that is not empty, including the first. */
  indent: (value: unknown, spaces: unknown): string => {
    const count = Number(spaces)
    if (!Number.isInteger(count) || count < 0 || count > 100) {
      throw new FilterProblem('indent takes a number of spaces from 0 to 100')
    }
    return textOf(value).replaceAll(/^(?=.)/gm, ' '.repeat(count))
  },
  url_host: (value: unknown): string => urlOf(value).hostname.replace(/^\[(.*)\]$/, '$1'),
  /** The port of the URL, or the default of http and https. */
  url_port: (value: unknown): string => {
    const { port, protocol } = urlOf(value)
    const found = port || defaultPorts[protocol]
    if (found === undefined) throw new FilterProblem('url_port needs a URL with a port')
    return found
  },
  /** A value in a file for EnvironmentFile= of systemd. */
  env: (value: unknown): string => `"${oneLine(value, 'env').replaceAll(/["\\$`]/g, '\\$&')}"`,
  /** One argument of ExecStart= and similar settings: neither split nor expanded. */
  systemd: (value: unknown): string => {
    const word = oneLine(value, 'systemd').replaceAll('%', '%%').replaceAll('$', '$$$$')
    return `"${word.replaceAll(/["\\]/g, '\\$&')}"`
  },
  /** A quoted string that is valid in YAML, JSON and TOML. */
  quote: (value: unknown): string => JSON.stringify(textOf(value)).replaceAll('\u007f', '\\u007f'),
  /** A placeholder that the config server replaces for each machine. */
  skip: (value: unknown): string => {
    const key = textOf(value)
    if (!/^[_a-z]\w*$/.test(key)) {
      throw new FilterProblem('skip takes a name that begins with a lower case letter or "_"')
    }
    return `{{.${key}}}`
  },
} as const

/** The output of `{{ … }}`; objects and lists have no useful text. */
export function outputText(value: unknown): string {
  if (typeof value === 'object' && value !== null) {
    throw new FilterProblem(
      'only strings and numbers can be written; use json for a list or object,',
    )
  }
  return textOf(value)
}

const defaultPorts: Readonly<Record<string, string>> = { 'https:': '443', 'http:': '80' }

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value === null || value === undefined) return ''
  throw new FilterProblem('expected a string')
}

function oneLine(value: unknown, filter: string): string {
  const text = textOf(value)
  if (/[\n\r\0]/.test(text)) throw new FilterProblem(`${filter} takes one line`)
  return text
}

function urlOf(value: unknown): URL {
  const url = URL.parse(textOf(value))
  if (!url) throw new FilterProblem('expected a URL')
  return url
}
