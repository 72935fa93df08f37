import type { Mirror, Registry } from '../../../planner/actions/registries.ts'
import { isWildcard } from '../model/scopes.ts'
import { scopeOf } from './registries-conf.ts'

/* Where a node pulls an image from: the same lookup as in the container runtime (containers/image). */

/** Finds the entry that applies to an image or scope: the one with the longest matching prefix. */
export function registryFinder(
  registries: readonly Registry[],
): (name: string) => Registry | undefined {
  const known = new Map(registries.map((registry) => [scopeOf(registry), registry]))
  return (name) => {
    if (name.length > longestName) return undefined
    const [nearest] = prefixes(name)
      .filter((prefix) => known.has(prefix) && remainderAfter(name, prefix) !== undefined)
      .sort((a, b) => b.length - a.length)
    return nearest === undefined ? undefined : known.get(nearest)
  }
}

/** No image has a longer name. The number of prefixes grows quadratically with the parts of a name. */
const longestName = 1024

/** All prefixes that can match a name; of two of the same length, the wildcard wins. */
function prefixes(name: string): string[] {
  const ends = [...name.matchAll(/[:/@]|$/g)].map(({ index }) => index)
  const literal = ends.map((end) => name.slice(0, end))
  const [registry = ''] = name.split('/', 1)
  const dots = [...registry.matchAll(/\./g)].map(({ index }) => index)
  const wildcards = dots.flatMap((dot) => ends.map((end) => `*${name.slice(dot, end)}`))
  return [...wildcards, ...literal]
}

/** The part of a name after the prefix of an entry; undefined if the entry does not match. */
export function remainderAfter(name: string, prefix: string): string | undefined {
  const end = isWildcard(prefix) ? endOfHost(name, prefix.slice(1)) : endOfText(name, prefix)
  if (end === undefined) return undefined
  const rest = name.slice(end)
  return rest === '' || /^[:/@]/.test(rest) ? rest : undefined
}

/** The locations of an image in the order in which they are tried: its mirrors, then the registry itself. */
export function pullPlaces(
  registry: Registry,
  name: string,
  by: 'digest' | 'tag',
): readonly (Pick<Mirror, 'location'> & { readonly name: string })[] {
  const rest = remainderAfter(name, scopeOf(registry))
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
