import { InvalidInput } from '@machinist/core/errors'
import { isObject } from '@machinist/core/encoding/json'
import { parseToml } from '@machinist/core/encoding/toml'
import { plain } from '@machinist/core/quoted'

/**
 * Why a change of registries.conf requires a drain, or undefined if it is safe: every image that could be pulled before can still be
 * pulled from the same location. Invalid input is never safe.
 */
export function registriesDanger(
  before: string,
  after: string,
  release: '4.12' | 'later' = 'later',
): string | undefined {
  try {
    const [old, now] = [readRegistries(before), readRegistries(after)]
    return (
      searchDanger(old.search, now.search) ??
      removedRegistry(old, now) ??
      registryDangers(old, now, release)
    )
  } catch (error) {
    if (error instanceof InvalidInput) return error.message
    throw error
  }
}

/** The content of a registries.conf. */
export interface Registries {
  readonly search: readonly string[]
  readonly byScope: ReadonlyMap<string, Registry>
}

export interface Registry {
  readonly prefix: string
  readonly location: string
  readonly blocked: boolean
  readonly insecure: boolean
  readonly byDigestOnly: boolean
  readonly mirrors: readonly Mirror[]
}

export interface Mirror {
  readonly location: string
  readonly insecure: boolean
  readonly pull: string
}

const digestOnly = 'digest-only'

function searchDanger(old: readonly string[], now: readonly string[]): string | undefined {
  return old.every((registry, i) => now[i] === registry)
    ? undefined
    : 'an unqualified search registry is removed or moved'
}

function removedRegistry(old: Registries, now: Registries): string | undefined {
  const removed = [...old.byScope.keys()].find((scope) => !now.byScope.has(scope))
  return removed === undefined ? undefined : `registry ${plain(removed)} is removed`
}

function registryDangers(
  old: Registries,
  now: Registries,
  release: '4.12' | 'later',
): string | undefined {
  for (const [scope, registry] of now.byScope) {
    const previous = old.byScope.get(scope)
    const danger = previous
      ? changeDanger(previous, registry, release)
      : additionDanger(registry, release)
    if (danger !== undefined) return `registry ${plain(scope)}: ${danger}`
  }
  return undefined
}

function changeDanger(old: Registry, now: Registry, release: '4.12' | 'later'): string | undefined {
  const fields = ['prefix', 'location', 'blocked', 'insecure'] as const
  const changed = fields.find((field) => old[field] !== now[field])
  if (changed) return `${changed} changes`
  if (release === '4.12' && old.byDigestOnly !== now.byDigestOnly) {
    return 'mirror-by-digest-only changes'
  }
  const [before, after] = [mirrorsByLocation(old), mirrorsByLocation(now)]
  const gone = old.mirrors.find(({ location }) => !after.has(location))
  if (gone) return `mirror ${plain(gone.location)} is removed`
  for (const { location, pull } of now.mirrors) {
    const previous = before.get(location)
    if (!previous && !isByDigest(pull, now, release)) {
      return `mirror ${plain(location)} is added and is not limited to digests`
    }
    if (previous && previous.pull !== pull && pull !== digestOnly) {
      return `pull-from-mirror of ${plain(location)} changes`
    }
  }
  return undefined
}

function additionDanger(added: Registry, release: '4.12' | 'later'): string | undefined {
  const safe =
    release === '4.12' || added.mirrors.length === 0
      ? added.byDigestOnly
      : added.mirrors.every(({ pull }) => pull === digestOnly)
  return safe ? undefined : 'is added, and its mirrors are not limited to digests'
}

/** 4.12 has only the setting of the registry. */
const isByDigest = (pull: string, registry: Registry, release: '4.12' | 'later'): boolean =>
  registry.byDigestOnly || (release !== '4.12' && pull === digestOnly)

/** The first of several mirrors at one location applies. */
const mirrorsByLocation = ({ mirrors }: Registry): ReadonlyMap<string, Mirror> =>
  new Map(mirrors.toReversed().map((mirror) => [mirror.location, mirror]))

/** Throws InvalidInput for a file that the container runtime would reject. */
export function readRegistries(text: string): Registries {
  const toml = parseToml(text)
  // Version 1 of the format, which is no longer supported.
  if (toml['registries'] !== undefined) {
    throw new InvalidInput('it uses the old format with [registries]')
  }
  const byScope = new Map<string, Registry>()
  for (const table of tables(toml['registry'], 'registry')) {
    const registry = readRegistry(table)
    const scope = registry.prefix === '' ? registry.location : registry.prefix
    if (byScope.has(scope)) throw new InvalidInput(`registry ${plain(scope)} is listed twice`)
    byScope.set(scope, registry)
  }
  const search = toml['unqualified-search-registries'] ?? []
  if (!Array.isArray(search) || !search.every((one): one is string => typeof one === 'string')) {
    throw new InvalidInput('unqualified-search-registries must be a list of strings')
  }
  return { search, byScope }
}

function readRegistry(table: Record<string, unknown>): Registry {
  return {
    prefix: text(table, 'prefix'),
    location: text(table, 'location'),
    blocked: flag(table, 'blocked'),
    insecure: flag(table, 'insecure'),
    byDigestOnly: flag(table, 'mirror-by-digest-only'),
    mirrors: tables(table['mirror'], 'mirror').map((mirror) => ({
      location: text(mirror, 'location'),
      insecure: flag(mirror, 'insecure'),
      pull: text(mirror, 'pull-from-mirror'),
    })),
  }
}

function tables(value: unknown, name: string): Record<string, unknown>[] {
  if (value === undefined) return []
  if (Array.isArray(value) && value.every(isObject)) return value
  throw new InvalidInput(`${name} must be a list of tables`)
}

function text(table: Record<string, unknown>, key: string): string {
  const value = table[key] ?? ''
  if (typeof value === 'string') return value
  throw new InvalidInput(`${key} must be a string`)
}

function flag(table: Record<string, unknown>, key: string): boolean {
  const value = table[key] ?? false
  if (typeof value === 'boolean') return value
  throw new InvalidInput(`${key} must be true or false`)
}
