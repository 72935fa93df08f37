import type { Mirror, Registry } from '../../../planner/actions/registries.ts'
import { covering, isInside, isWildcard } from '../model/scopes.ts'
import { preferenceOrder } from './mirror-order.ts'
import type { MirrorRule } from './mirror-rules.ts'
import { remainderAfter } from './pull-sources.ts'
import type { RegistriesConf } from './registries-conf.ts'
import { scopeOf } from './registries-conf.ts'

/** The registry settings of the cluster; every scope and rule is valid. */
export interface RegistrySettings {
  readonly insecure: readonly string[]
  readonly blocked: readonly string[]
  /** Mirror rules for images that are referenced by digest, and by tag. */
  readonly digest: readonly MirrorRule[]
  readonly tag: readonly MirrorRule[]
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }
type Entry = Mutable<Omit<Registry, 'mirrors'>> & { mirrors: Mutable<Mirror>[] }

/**
 * Adds the cluster's settings to the base registries.conf. The container runtime applies only the most specific entry, so
 * settings of a scope are repeated in every entry inside that scope.
 */
export function editRegistries(
  base: RegistriesConf,
  { insecure, blocked, digest, tag }: RegistrySettings,
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
    for (const { source, mirrors, neverContactSource } of mergedRules(rules)) {
      const entry = entryOf(source)
      if (neverContactSource) entry.blocked = true
      entry.mirrors.push(...mirrors.map((location) => ({ location, insecure: false, pull })))
      mirrored.set(source, neverContactSource)
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
  inheritMirrors(entries, mirrored)
  return { ...base, registries: [...entries.values()] }
}

/**
 * Copies mirrors to entries without mirrors, which would otherwise hide the mirrors of the nearest enclosing source.
 * `mirrored` maps each source to whether contacting it is forbidden.
 */
function inheritMirrors(
  entries: ReadonlyMap<string, Entry>,
  mirrored: ReadonlyMap<string, boolean>,
): void {
  for (const [scope, entry] of entries) {
    if (entry.mirrors.length > 0) continue
    const nearest = covering(scope).find((one) => one !== scope && mirrored.has(one))
    if (nearest === undefined) continue
    if (mirrored.get(nearest)) entry.blocked = true
    const rest = remainderAfter(scope, nearest) ?? ''
    // Another port is another registry, which the mirror does not mirror.
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
  readonly neverContactSource: boolean
}

/** One rule for each source, in alphabetical order. */
function mergedRules(rules: readonly MirrorRule[]): MergedRule[] {
  const bySource = Map.groupBy(rules, ({ source }) => source)
  return [...bySource.keys()].sort().map((source) => {
    const sourceRules = bySource.get(source)!
    // The source itself comes last, unless a list orders it otherwise.
    const lists = sourceRules.map(({ mirrors }) =>
      mirrors.includes(source) ? mirrors : [...mirrors, source],
    )
    const order = preferenceOrder(lists)
    if (order.at(-1) === source) order.pop()
    const neverContactSource = sourceRules.some((rule) => rule.neverContactSource)
    return { source, mirrors: order, neverContactSource }
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
