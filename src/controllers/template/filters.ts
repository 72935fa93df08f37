/** A filter was given what it cannot work with. Says what was expected, never what came. */
export class FilterProblem extends Error {}

/** Filters of our own, beside those of the library that `liquid.ts` lets through. */
export const filters = {
  /** Puts spaces before every line that is not empty, the first one too. */
  indent: (value: unknown, spaces: unknown): string => {
    const count = Number(spaces)
    if (!Number.isInteger(count) || count < 0 || count > 100) {
      throw new FilterProblem('indent takes a number of spaces from 0 to 100')
    }
    return textOf(value).replaceAll(/^(?=.)/gm, ' '.repeat(count))
  },
  url_host: (value: unknown): string => urlOf(value).hostname.replace(/^\[(.*)\]$/, '$1'),
  /** The port that the URL says, or the usual one of http and https. */
  url_port: (value: unknown): string => {
    const { port, protocol } = urlOf(value)
    const known = port || usualPorts[protocol]
    if (known === undefined) throw new FilterProblem('url_port needs a URL that names its port')
    return known
  },
  /** A value of a file that systemd reads with EnvironmentFile=. */
  env: (value: unknown): string => `"${oneLine(value, 'env').replaceAll(/["\\$`]/g, '\\$&')}"`,
  /** A word of ExecStart= and the like: neither split nor expanded. */
  systemd: (value: unknown): string => {
    const word = oneLine(value, 'systemd').replaceAll('%', '%%').replaceAll('$', '$$$$')
    return `"${word.replaceAll(/["\\]/g, '\\$&')}"`
  },
  /** A text between quotes that YAML, JSON and TOML all read. */
  quote: (value: unknown): string => JSON.stringify(textOf(value)).replaceAll('\u007f', '\\u007f'),
  /** A place that is filled in when a machine is served its configuration. */
  skip: (value: unknown): string => {
    const key = textOf(value)
    if (!/^[_a-z]\w*$/.test(key)) {
      throw new FilterProblem('skip takes a name that begins with a small letter or "_"')
    }
    return `{{.${key}}}`
  },
} as const

/** What `{{ … }}` puts into the text: an object or a list would come out as nonsense. */
export function written(value: unknown): string {
  if (typeof value === 'object' && value !== null) {
    throw new FilterProblem('only texts and numbers can be written, a list or object with json;')
  }
  return textOf(value)
}

const usualPorts: Readonly<Record<string, string>> = { 'https:': '443', 'http:': '80' }

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value === null || value === undefined) return ''
  throw new FilterProblem('a text was expected')
}

function oneLine(value: unknown, filter: string): string {
  const text = textOf(value)
  if (/[\n\r\0]/.test(text)) throw new FilterProblem(`${filter} takes one line`)
  return text
}

function urlOf(value: unknown): URL {
  const url = URL.parse(textOf(value))
  if (!url) throw new FilterProblem('a URL was expected')
  return url
}
