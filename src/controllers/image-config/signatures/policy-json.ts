import { InvalidInput } from '@machinist/core/errors'
import { isObject, jsonOrUndefined } from '@machinist/core/encoding/json'
import type { RegistryLists } from '../registries/registry-lists.ts'
import { isNested, isWildcard } from '../model/scopes.ts'
import type { ByScope } from './signature-policies.ts'
import type { Requirement } from './signature-requirement.ts'
import { accept, reject } from './signature-requirement.ts'

/** A containers-policy.json(5): the requirements on images by transport and scope. */
export interface Policy {
  readonly default: readonly Requirement[]
  readonly transports: ReadonlyMap<string, ByScope>
}

/** Throws InvalidInput if the text is not a policy. */
export function readPolicy(text: string): Policy {
  const { default: rest, transports } = objectIn(jsonOrUndefined(text), 'the file')
  const byTransport = Object.entries(objectIn(transports ?? {}, 'transports'))
  return {
    default: requirementsIn(rest, 'default'),
    transports: new Map(
      byTransport.map(([name, scopes]) => {
        const lists = Object.entries(objectIn(scopes, `transports.${name}`))
        return [name, new Map(lists.map(([scope, list]) => [scope, requirementsIn(list, name)]))]
      }),
    ),
  }
}

type Lists = Pick<RegistryLists, 'allowed' | 'policyBlocked' | 'payloadException'>

/** The policy for the whole cluster. */
export function clusterPolicy(
  base: Policy,
  { allowed, policyBlocked, payloadException }: Lists,
  signatures: ByScope,
): Policy {
  const exception = payloadException === undefined ? [] : [payloadException]
  const scopes = new Map<string, readonly Requirement[]>([
    ...[...exception, ...allowed].map((scope) => [scope, [accept]] as const),
    ...policyBlocked.map((scope) => [scope, [reject]] as const),
    ...signatures,
  ])
  const onlyAllowed = allowed.length > 0 ? [reject] : base.default
  return {
    default: policyBlocked.length > 0 ? [accept] : onlyAllowed,
    transports: new Map([
      ...base.transports,
      ...(scopes.size > 0 ? forBothTransports(scopes) : []),
    ]),
  }
}

/** The policy for the pods of one namespace: that of the cluster with additional requirements. */
export function namespacePolicy(cluster: Policy, signatures: ByScope): Policy {
  const joined = [...forBothTransports(signatures)].map(([transport, added]) => {
    const existing = cluster.transports.get(transport) ?? new Map<string, readonly Requirement[]>()
    const extended = [...added].map(
      ([scope, list]) => [scope, [...(existing.get(scope) ?? []), ...list]] as const,
    )
    return [transport, new Map([...existing, ...extended])] as const
  })
  return { ...cluster, transports: new Map([...cluster.transports, ...joined]) }
}

/** The requirements on images of a scope: only the most specific entry applies, and a host comes before a wildcard. */
export function requirementsFor(policy: Policy, scope: string): readonly Requirement[] {
  const docker = policy.transports.get('docker') ?? new Map<string, readonly Requirement[]>()
  const [nearest] = [...docker.keys()]
    .filter((one) => isNested(scope, one))
    .sort((a, b) => Number(isWildcard(a)) - Number(isWildcard(b)) || b.length - a.length)
  return nearest === undefined ? policy.default : docker.get(nearest)!
}

/** Byte for byte as MCO's encoder writes it. */
export function policyText({ default: rest, transports }: Policy): string {
  const written = {
    default: rest,
    transports: sorted(
      [...transports].map(([name, scopes]) => [name, sorted([...scopes])] as const),
    ),
  }
  // These characters occur only in strings, where the escape is equivalent. Go's encoder escapes them.
  const escape = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(written, undefined, 2).replaceAll(/[<>&\u2028\u2029]/g, escape)
}

/** The same for both transports, except that `atomic` allows at most `host/namespace/name[:tag]` and rejects other scopes. */
function forBothTransports(scopes: ByScope): [string, ByScope][] {
  const isShort = (scope: string): boolean =>
    /^[^/]*(?:\/[^:/]*(?:\/[^:/]*(?::[^:/]*)?)?)?$/.test(scope)
  return [
    ['docker', scopes],
    ['atomic', new Map([...scopes].filter(([scope]) => isShort(scope)))],
  ]
}

const sorted = <T>(entries: readonly (readonly [string, T])[]): Record<string, T> =>
  Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))

function objectIn(value: unknown, what: string): Record<string, unknown> {
  if (isObject(value)) return value
  throw new InvalidInput(`${what} is not a JSON object`)
}

function requirementsIn(value: unknown, what: string): Requirement[] {
  const isRequirement = (one: unknown): one is Requirement =>
    isObject(one) && typeof one['type'] === 'string'
  if (Array.isArray(value) && value.every(isRequirement)) return value
  throw new InvalidInput(`${what} is not a list of requirements`)
}
