import type { Mirror, Registry } from '../../planner/registries.ts'
import { preferenceOrder } from './mirror-order.ts'
import type { MirrorRule } from './mirror-rules.ts'
import { partBehind } from './pull-sources.ts'
import type { RegistriesConf } from './registries-conf.ts'
import { scopeOf } from './registries-conf.ts'
import { covering, isInside, isWildcard } from './scopes.ts'

/** What the cluster says of registries; every scope and rule is a good one. */
export interface RegistryWishes {
  readonly insecure: readonly string[]
  readonly blocked: readonly string[]
  /** For images that are named by digest, and by tag. */
  readonly digest: readonly MirrorRule[]
  readonly tag: readonly MirrorRule[]
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }
type Entry = Mutable<Omit<Registry, 'mirrors'>> & { mirrors: Mutable<Mirror>[] }

/**
 * The nodes' configuration of registries with the cluster's wishes in it. Nodes look at the most precise entry only, so
 * what holds for a scope is said in every entry inside of it too.
 */
export function editRegistries(
  base: RegistriesConf,
  { insecure, blocked, digest, tag }: RegistryWishes,
): RegistriesConf {
  const entries = new Map(
    base.registries.map((entry) => [scopeOf(entry), structuredClone(entry) as Entry]),
  )
  const entryOf = (scope: string): Entry => {
    const entry = entries.get(scope) ?? newEntry(scope)
    entries.set(scope, entry)
    return entry
  }
  const mirrored = new Map<string, boolean>()
  for (const [rules, pull] of [
    [digest, 'digest-only'],
    [tag, 'tag-only'],
  ] as const) {
    for (const { source, mirrors, never } of mergedRules(rules)) {
      const entry = entryOf(source)
      if (never) entry.blocked = true
      entry.mirrors.push(...mirrors.map((location) => ({ location, insecure: false, pull })))
      mirrored.set(source, never)
    }
  }
  for (const scope of blocked) entryOf(scope)
  for (const scope of insecure) entryOf(scope)
  const isInsecure = isInside(insecure)
  const isBlocked = isInside(blocked)
  for (const [scope, entry] of entries) {
    if (isInsecure(scope)) entry.insecure = true
    if (isBlocked(scope)) entry.blocked = true
    for (const mirror of entry.mirrors) if (isInsecure(mirror.location)) mirror.insecure = true
  }
  inherit(entries, mirrored)
  return { ...base, registries: [...entries.values()] }
}

/**
 * An entry without mirrors of its own would hide those of the nearest source around it. `mirrored` says of each source
 * whether it must not be asked.
 */
function inherit(
  entries: ReadonlyMap<string, Entry>,
  mirrored: ReadonlyMap<string, boolean>,
): void {
  for (const [scope, entry] of entries) {
    if (entry.mirrors.length > 0) continue
    const nearest = covering(scope).find((one) => one !== scope && mirrored.has(one))
    if (nearest === undefined) continue
    if (mirrored.get(nearest)) entry.blocked = true
    const rest = partBehind(scope, nearest) ?? ''
    // With a port it is another registry than the mirror speaks of.
    if (rest.startsWith(':')) continue
    entry.mirrors = entries.get(nearest)!.mirrors.map(({ location, insecure, pull }) => ({
      location: location + rest,
      insecure,
      pull,
    }))
  }
}

interface MergedRule {
  readonly source: string
  readonly mirrors: readonly string[]
  readonly never: boolean
}

/** One rule for each source, in the order of the alphabet. */
function mergedRules(rules: readonly MirrorRule[]): MergedRule[] {
  const bySource = Map.groupBy(rules, ({ source }) => source)
  return [...bySource.keys()].sort().map((source) => {
    const of = bySource.get(source)!
    // The source itself is asked last, unless a list says otherwise.
    const lists = of.map(({ mirrors }) =>
      mirrors.includes(source) ? mirrors : [...mirrors, source],
    )
    const order = preferenceOrder(lists)
    if (order.at(-1) === source) order.pop()
    return { source, mirrors: order, never: of.some(({ never }) => never) }
  })
}

function newEntry(scope: string): Entry {
  return {
    ...(isWildcard(scope) ? { prefix: scope, location: '' } : { prefix: '', location: scope }),
    insecure: false,
    blocked: false,
    byDigestOnly: false,
    mirrors: [],
  }
}
