import { parseYaml } from '@machinist/core/encoding/yaml'
import type { Registry } from '../../../planner/actions/registries.ts'
import { pullPlaces, registryFinder } from '../registries/pull-sources.ts'
import { scopeOf } from '../registries/registries-conf.ts'
import { isMirror, isNested, isWildcard } from '../model/scopes.ts'

/**
 * All locations with sigstore attachments: the scopes of the policies, and the mirrors of these scopes according to
 * registries.conf.
 */
export function signaturePlaces(
  policyScopes: readonly string[],
  registries: readonly Registry[],
): string[] {
  const places = new Set<string>()
  const find = registryFinder(registries)
  for (const scope of policyScopes) {
    places.add(scope)
    const inside = registries.map(scopeOf).filter((one) => isNested(one, scope))
    for (const one of [scope, ...inside]) {
      for (const place of mirrorsOf(one, find(one))) places.add(place)
    }
  }
  return [...places].sort(naturally)
}

/** Byte for byte as MCO's encoder writes it. */
export function signaturePlacesText(places: readonly string[]): string {
  const lines = places.flatMap((place) => [
    `  ${key(place)}:`,
    '    use-sigstore-attachments: true',
  ])
  return ['docker:', ...lines].map((line) => `${line}\n`).join('')
}

/** The names of a scope at its mirrors and at the registry itself, if an entry matches. */
function mirrorsOf(scope: string, registry: Registry | undefined): string[] {
  if (!registry) return []
  // Entries rewrite image names, so look up an example image in the scope.
  const host = isWildcard(scope) ? `any${scope.slice(1)}` : scope
  const ends = [host.indexOf('@'), host.indexOf(':', host.lastIndexOf('/'))].filter((at) => at >= 0)
  const repository = host.includes('/') ? host.slice(0, Math.min(...ends)) : `${host}/any`
  if (!isMirror(repository)) return []
  const names = (['digest', 'tag'] as const)
    .flatMap((by) => pullPlaces(registry, repository, by))
    .flatMap(({ location, name }) => (location === '' ? [] : name))
  return host.includes('/') ? names : names.map((name) => name.slice(0, -'/any'.length))
}

/** Quotes names that YAML would parse as an alias or a number. */
function key(place: string): string {
  if (place.startsWith('*')) return `'${place}'`
  const isPlain = /^\w[\w./:@-]*$/.test(place) && parseYaml(place, place) === place
  return isPlain ? place : JSON.stringify(place)
}

/** The key order of MCO's encoder: other characters before letters, and numbers by value. */
function naturally(a: string, b: string): number {
  let i = 0
  while (i < a.length && a[i] === b[i]) i++
  if (i === a.length || i === b.length) return a.length - b.length
  const [left, right] = [a[i]!, b[i]!]
  if (isLetter(left) !== isLetter(right)) return isLetter(left) ? 1 : -1
  const [x, y] = [digitsAt(a, i), digitsAt(b, i)]
  return Number(x) - Number(y) || x.length - y.length || (left < right ? -1 : 1)
}

const isLetter = (char: string): boolean => /\p{L}/u.test(char)
const digitsAt = (text: string, start: number): string => /^\d*/.exec(text.slice(start))![0]
