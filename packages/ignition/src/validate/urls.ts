/** The parts of an absolute URL that Ignition uses. */
export interface SplitUrl {
  /** In lower case. */
  readonly scheme: string
  /** The text after the scheme, if it does not start with a slash. */
  readonly opaque: string
  readonly query: string
}

/**
 * Splits an absolute URL with the rules of Go's net/url, which Ignition uses and which differ from the WHATWG rules. Returns undefined
 * if the text is not an absolute URL.
 */
export function splitUrl(url: string): SplitUrl | undefined {
  const [main, fragment] = cut(url, '#')
  if (control.test(main) || badEscape.test(fragment)) return undefined
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*(?=:)/.exec(main)?.[0]
  if (scheme === undefined) return undefined
  const [rest, query] = cut(main.slice(scheme.length + 1), '?')
  const split = { scheme: scheme.toLowerCase(), query }
  if (!rest.startsWith('/')) return { ...split, opaque: rest }
  return isHierarchy(rest) ? { ...split, opaque: '' } : undefined
}

/** The first value of a query parameter. */
export function queryValue(query: string, name: string): string | undefined {
  for (const pair of query.split('&')) {
    const [key, value] = cut(pair, '=')
    const usable = !pair.includes(';') && !badEscape.test(pair)
    if (usable && unescaped(key) === name) return unescaped(value)
  }
  return undefined
}

const control = /[^ -~\u0080-\uffff]/
const badEscape = /%(?![0-9A-Fa-f]{2})/
const notUserInfo = /[^A-Za-z0-9\-._:~!$&'()*+,;=%@]/
const hostCharacter = /[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]/
const notHost = /[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%\u0080-\uffff]/
/** In a host, only characters outside ASCII and the percent sign may be escaped. */
const badHostEscape = /%(?!25|[89A-Fa-f][0-9A-Fa-f])/

function isHierarchy(rest: string): boolean {
  if (!rest.startsWith('//')) return !badEscape.test(rest)
  const pathAt = rest.indexOf('/', 2)
  const authority = pathAt < 0 ? rest.slice(2) : rest.slice(2, pathAt)
  const path = pathAt < 0 ? '' : rest.slice(pathAt)
  return isAuthority(authority) && !badEscape.test(path)
}

function isAuthority(authority: string): boolean {
  const at = authority.lastIndexOf('@')
  const userInfo = authority.slice(0, Math.max(at, 0))
  return !notUserInfo.test(userInfo) && !badEscape.test(userInfo) && isHost(authority.slice(at + 1))
}

function isHost(host: string): boolean {
  if (!host.startsWith('[')) {
    const colon = host.lastIndexOf(':')
    return isHostText(host) && (colon < 0 || isPort(host.slice(colon)))
  }
  const end = host.lastIndexOf(']')
  if (end < 0 || !isPort(host.slice(end + 1))) return false
  const zone = host.slice(0, end).indexOf('%25')
  if (zone < 0) return isHostText(host)
  return isHostText(host.slice(0, zone)) && isZone(host.slice(zone, end))
}

const isPort = (text: string): boolean => /^(?::[0-9]*)?$/.test(text)

const isHostText = (text: string): boolean => !notHost.test(text) && !badHostEscape.test(text)

/** The zone of an IPv6 address: an escape must encode a host character, a space or the percent sign. */
function isZone(zone: string): boolean {
  if (notHost.test(zone) || badEscape.test(zone)) return false
  return Array.from(zone.matchAll(/%(..)/g), ([, digits]) => digits!).every((digits) => {
    const char = String.fromCharCode(Number.parseInt(digits, 16))
    return char === '%' || char === ' ' || hostCharacter.test(char)
  })
}

function unescaped(text: string): string {
  return text
    .replaceAll('+', ' ')
    .replaceAll(/%(..)/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
}

function cut(text: string, separator: string): [before: string, after: string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
