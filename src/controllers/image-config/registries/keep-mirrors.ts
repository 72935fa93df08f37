import type { Mirror, Registry } from '../../../planner/actions/registries.ts'
import { scopeOf } from './registries-conf.ts'

/**
 * The new entries, plus the mirrors that nodes have and would lose. While a mirror rule is invalid, it is unknown which mirrors
 * it removes, so nodes keep theirs. Entries keep their position.
 */
export function keepMirrors(
  now: readonly Registry[],
  before: Iterable<Registry>,
  isInsecure: (scope: string) => boolean,
): Registry[] {
  const desired = new Map(now.map((entry) => [scopeOf(entry), entry]))
  const kept = new Map<string, Registry>()
  for (const old of before) {
    const scope = scopeOf(old)
    const created = { ...old, insecure: isInsecure(scope), blocked: false, mirrors: [] }
    const entry = desired.get(scope) ?? (old.mirrors.length > 0 ? created : undefined)
    if (entry) kept.set(scope, withMirrorsOf(old, entry, isInsecure))
  }
  return [...kept.values(), ...now.filter((entry) => !kept.has(scopeOf(entry)))]
}

function withMirrorsOf(
  old: Registry,
  entry: Registry,
  isInsecure: (scope: string) => boolean,
): Registry {
  if (old.mirrors.length === 0) return entry
  const blocked = entry.blocked || old.blocked
  const isOneOf = (mirrors: readonly Mirror[], { location, pull }: Mirror): boolean =>
    mirrors.some((mirror) => mirror.location === location && mirror.pull === pull)
  if (old.mirrors.every((mirror) => isOneOf(entry.mirrors, mirror))) return { ...entry, blocked }
  const added = entry.mirrors.filter((mirror) => !isOneOf(old.mirrors, mirror))
  const mirrors = [...old.mirrors, ...added].map(({ location, pull }) => ({
    location,
    insecure: isInsecure(location),
    pull,
  }))
  return { ...entry, blocked, mirrors }
}
