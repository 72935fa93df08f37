/* A scope is a registry, a namespace or repository in it (`quay.io/team`), or all hosts of a domain (`*.example.com`). */

export const isWildcard = (scope: string): boolean => scope.startsWith('*.')

/** Whether `superior` covers all of `sub`. Another port is another registry; wildcards match hosts only, not paths. */
export function isNested(sub: string, superior: string): boolean {
  if (sub === superior || sub.startsWith(`${superior}/`)) return true
  return isWildcard(superior) && hostOf(sub).endsWith(superior.slice(1))
}

/** All scopes that cover a scope according to `isNested`, from the scope itself to the widest. */
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

/** Whether one of these covers a scope. */
export function isInside(scopes: Iterable<string>): (scope: string) => boolean {
  const known = new Set(scopes)
  return (scope) => covering(scope).some((one) => known.has(one))
}

/** The part before the port, path and digest. */
function hostOf(scope: string): string {
  const end = scope.search(/[:/@]/)
  return end < 0 ? scope : scope.slice(0, end)
}

/** Nodes ignore trailing slashes: `quay.io/` is `quay.io`. */
export function trimmed(scope: string): string {
  let end = scope.length
  while (end > 0 && scope[end - 1] === '/') end--
  return scope.slice(0, end)
}

/** Why nodes cannot use a scope, or cannot read a file with it; undefined if they can. */
export function scopeProblem(scope: string): string | undefined {
  if (trimmed(scope) === '') return 'it is empty'
  if (/^https?:\/\//i.test(scope)) return 'remove https:// or http://'
  if (/[\s\p{Cc}]/u.test(scope)) return 'it contains whitespace or a control character'
  if (!scope.includes('*')) return undefined
  if (isWildcard(scope) && !/[/@:*]/.test(scope.slice(2))) return undefined
  return 'the only supported wildcard is *.domain, for all hosts of a domain, without port or path'
}

/** Whether a mirror rule can have this source: `host[:port][/path]`, or `*.domain`. */
export function isSource(text: string): boolean {
  return isMirror(text) || (isWildcard(text) && text.slice(2).split('.').every(isLabel))
}

/** `host[:port][/path]`, the format of mirrors. */
export function isMirror(text: string): boolean {
  const [registry = '', ...path] = text.split('/')
  return isRegistry(registry) && path.every(isPathPart)
}

/** `host[:port]`, the format of search registries. */
export function isRegistry(text: string): boolean {
  const [, host = '', port = ''] = /^([^:]*)((?::\d+)?)$/.exec(text) ?? []
  return text === host + port && host.split('.').every(isLabel)
}

/* The alternatives begin with different characters, so matching takes linear time. */
const isLabel = (text: string): boolean => /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i.test(text)
const isPathPart = (text: string): boolean => /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/.test(text)
