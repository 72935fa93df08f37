import { quoted } from '@machinist/core/quoted'

/* A scope is a registry, a namespace or a repository in it (`quay.io/team`), or all hosts under a domain (`*.example.com`). */

export const isWildcard = (scope: string): boolean => scope.startsWith('*.')

/**
 * Whether all that one scope covers is covered by another too. A port makes another registry; a name in a path is no
 * host, whatever it looks like.
 */
export function isNested(sub: string, superior: string): boolean {
  if (sub === superior || sub.startsWith(`${superior}/`)) return true
  return isWildcard(superior) && hostOf(sub).endsWith(superior.slice(1))
}

/** All scopes that cover a scope, itself first and the widest last: those that `isNested` tells, without trying each. */
export function covering(scope: string): string[] {
  const found = [scope]
  for (let end = scope.lastIndexOf('/'); end >= 0; end = scope.lastIndexOf('/', end - 1)) {
    found.push(scope.slice(0, end))
    if (end === 0) break
  }
  const host = hostOf(scope)
  for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
    found.push(`*${host.slice(dot)}`)
  }
  return found
}

/** Whether a scope is inside of one of these. */
export function isInside(scopes: Iterable<string>): (scope: string) => boolean {
  const known = new Set(scopes)
  return (scope) => covering(scope).some((one) => known.has(one))
}

/** What comes before the port, the path and the digest. */
function hostOf(scope: string): string {
  const end = scope.search(/[:/@]/)
  return end < 0 ? scope : scope.slice(0, end)
}

/** Nodes see no slash at the end: `quay.io/` is `quay.io` to them. */
export function trimmed(scope: string): string {
  let end = scope.length
  while (end > 0 && scope[end - 1] === '/') end--
  return scope.slice(0, end)
}

/** Why nodes could not use a scope, or could use nothing at all with it in their files; undefined if they can. */
export function scopeProblem(scope: string): string | undefined {
  if (trimmed(scope) === '') return 'it is empty'
  if (/^https?:\/\//i.test(scope)) return 'it has to be without https://'
  if (/[\s\p{Cc}]/u.test(scope)) return 'it has a blank in it'
  if (!scope.includes('*')) return undefined
  if (isWildcard(scope) && !/[/@:*]/.test(scope.slice(2))) return undefined
  return 'the only wildcard is *.domain, for all hosts under a domain, and nothing follows it'
}

/** What a mirror rule may name as source: `host[:port][/path]`, or `*.domain`. */
export function isSource(text: string): boolean {
  return isMirror(text) || (isWildcard(text) && text.slice(2).split('.').every(isLabel))
}

/** `host[:port][/path]`, as mirrors are named. */
export function isMirror(text: string): boolean {
  const [registry = '', ...path] = text.split('/')
  return isRegistry(registry) && path.every(isPathPart)
}

/** `host[:port]`: where images may be searched for. */
export function isRegistry(text: string): boolean {
  const [, host = '', port = ''] = /^([^:]*)((?::\d+)?)$/.exec(text) ?? []
  return text === host + port && host.split('.').every(isLabel)
}

/** A field's value, as messages show it. */
export const shown = (scope: string): string => quoted(scope)

/* Each alternative begins differently, so that no text takes longer than its length says. */
const isLabel = (text: string): boolean => /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i.test(text)
const isPathPart = (text: string): boolean => /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/.test(text)
