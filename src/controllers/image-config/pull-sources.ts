import type { Mirror, Registry } from '../../planner/registries.ts'
import { scopeOf } from './registries-conf.ts'
import { isWildcard } from './scopes.ts'

/* How a node finds where to pull an image from: the same steps as its container runtime takes. */

/** Finds the entry that decides about an image or scope: the longest that it begins with. */
export function registryFinder(
  registries: readonly Registry[],
): (name: string) => Registry | undefined {
  const known = new Map(registries.map((registry) => [scopeOf(registry), registry]))
  return (name) => {
    if (name.length > longestName) return undefined
    const [nearest] = prefixes(name)
      .filter((prefix) => known.has(prefix) && partBehind(name, prefix) !== undefined)
      .sort((a, b) => b.length - a.length)
    return nearest === undefined ? undefined : known.get(nearest)
  }
}

/** No image has a longer name, and the prefixes of one are as many as the square of its parts. */
const longestName = 1024

/** All prefixes that may be about a name; of two of the same length, nodes take the wildcard. */
function prefixes(name: string): string[] {
  const ends = [...name.matchAll(/[:/@]|$/g)].map(({ index }) => index)
  const literal = ends.map((end) => name.slice(0, end))
  const [registry = ''] = name.split('/', 1)
  const dots = [...registry.matchAll(/\./g)].map(({ index }) => index)
  const wildcards = dots.flatMap((dot) => ends.map((end) => `*${name.slice(dot, end)}`))
  return [...wildcards, ...literal]
}

/** What of a name an entry leaves open; undefined if the entry is not about it. */
export function partBehind(name: string, prefix: string): string | undefined {
  const end = isWildcard(prefix) ? endOfHost(name, prefix.slice(1)) : endOfText(name, prefix)
  if (end === undefined) return undefined
  const rest = name.slice(end)
  return rest === '' || /^[:/@]/.test(rest) ? rest : undefined
}

/** The places where an image is pulled from, in order: its mirrors, then the registry itself. */
export function placesOf(
  registry: Registry,
  name: string,
  by: 'digest' | 'tag',
): readonly (Pick<Mirror, 'location'> & { readonly name: string })[] {
  const rest = partBehind(name, scopeOf(registry))
  if (rest === undefined) return []
  const serves = ({ pull }: Mirror): boolean =>
    registry.byDigestOnly ? by === 'digest' : pull !== other[by]
  return [...registry.mirrors.filter(serves), registry].map(({ location }) => ({
    location,
    name: location === '' ? name : location + rest,
  }))
}

const other = { digest: 'tag-only', tag: 'digest-only' } as const

const endOfText = (name: string, prefix: string): number | undefined =>
  name.startsWith(prefix) ? prefix.length : undefined

function endOfHost(name: string, domain: string): number | undefined {
  const start = name.indexOf(domain)
  return start < 0 || name.slice(0, start).includes('/') ? undefined : start + domain.length
}
