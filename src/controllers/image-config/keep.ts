import type { Mirror, Registry } from '../../planner/registries.ts'
import type { Policy } from './policy-json.ts'
import { requirementsFor } from './policy-json.ts'
import { scopeOf } from './registries-conf.ts'
import type { ByScope } from './signature-policies.ts'
import type { Requirement } from './signature-requirement.ts'
import { isSigned, reject } from './signature-requirement.ts'

/*
 * As long as something cannot be read, nobody knows what it takes back. So nodes keep what they have: mirrors, sources
 * that must not be asked, signatures that are asked for. What is new comes all the same.
 */

/** The new entries, with the mirrors that nodes have and would have no longer. Nothing changes only its place. */
export function keepMirrors(
  now: readonly Registry[],
  before: Iterable<Registry>,
  isInsecure: (scope: string) => boolean,
): Registry[] {
  const wanted = new Map(now.map((entry) => [scopeOf(entry), entry]))
  const kept = new Map<string, Registry>()
  for (const old of before) {
    const scope = scopeOf(old)
    const made = { ...old, insecure: isInsecure(scope), blocked: false, mirrors: [] }
    const entry = wanted.get(scope) ?? (old.mirrors.length > 0 ? made : undefined)
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

/** The signatures that nodes ask for and would ask for no longer. Whatever is refused needs none. */
export function lostSignatures(now: Policy, before: Policy): ByScope {
  const lost = new Map<string, readonly Requirement[]>()
  for (const [scope, requirements] of before.transports.get('docker') ?? []) {
    const signatures = requirements.filter(isSigned)
    const isGuarded = requirementsFor(now, scope).some(
      (one) => isSigned(one) || one.type === reject.type,
    )
    if (signatures.length > 0 && !isGuarded) lost.set(scope, signatures)
  }
  return lost
}
