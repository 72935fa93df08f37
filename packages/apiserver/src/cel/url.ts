import type { Registrar, Values } from './library.ts'

/** `url("https://example.com:80/").getHost()`. Absolute URLs and absolute paths, as in Kubernetes. */
export function registerUrl(to: Registrar, { fail }: Values): void {
  const type = 'kubernetes.URL'
  to.registerType(type, Url)
  to.registerFunction('isURL(string): bool', (text: string) => parseUrl(text) !== undefined)
  to.registerFunction(`url(string): ${type}`, (text: string) => {
    const url = parseUrl(text)
    if (!url) throw fail(`URL parse error during conversion from string: '${text}'`)
    return url
  })
  to.registerFunction(`${type}.getScheme(): string`, (url: Url) => url.scheme)
  to.registerFunction(`${type}.getHost(): string`, (url: Url) => url.host)
  to.registerFunction(`${type}.getHostname(): string`, (url: Url) => url.hostname)
  to.registerFunction(`${type}.getPort(): string`, (url: Url) => url.port)
  to.registerFunction(`${type}.getEscapedPath(): string`, (url: Url) => url.path)
  to.registerFunction(`${type}.getQuery(): map<string, list<string>>`, (url: Url) => url.query())
  to.registerOperator(`${type} == ${type}`, (a: Url, b: Url) => a.text === b.text)
}

class Url {
  readonly text: string
  readonly scheme: string
  readonly host: string
  readonly path: string
  readonly search: string

  constructor(text: string, [, scheme = '', host = '', path = '', search = '']: readonly string[]) {
    this.text = text
    this.scheme = scheme.toLowerCase()
    this.host = host
    this.path = path
    this.search = search
  }

  get hostname(): string {
    return this.host.replace(/:\d*$/, '').replaceAll(/^\[|\]$/g, '')
  }

  get port(): string {
    return /:(\d*)$/.exec(this.host)?.[1] ?? ''
  }

  query(): Record<string, string[]> {
    const values = new Map<string, string[]>()
    // One by one: Node takes quadratic time for many parameters at once.
    for (const parameter of this.search.split('&')) {
      for (const [key, value] of new URLSearchParams(parameter)) {
        const before = values.get(key)
        if (before) before.push(value)
        else values.set(key, [value])
      }
    }
    return Object.fromEntries(values)
  }
}

function parseUrl(text: string): Url | undefined {
  const [start = ''] = text.split('#', 1)
  const absolute = /^(?:([a-z][a-z0-9+.-]*):\/\/(?:[^/?@]*@)?([^/?]*))?(\/[^?]*)?(?:\?(.*))?$/i
  const found = absolute.exec(start)
  const usable = found && (found[1] !== undefined || found[3] !== undefined)
  if (!usable || /[\s\p{Cc}]/u.test(start) || /%(?![0-9a-f]{2})/i.test(found[3] ?? ''))
    return undefined
  return new Url(text, found)
}
