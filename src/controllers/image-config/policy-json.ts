import { InvalidInput } from '@machinist/core/errors'
import { isObject, jsonOrUndefined } from '@machinist/core/json'
import type { RegistryLists } from './registry-lists.ts'
import { isNested, isWildcard } from './scopes.ts'
import type { ByScope } from './signature-policies.ts'
import type { Requirement } from './signature-requirement.ts'
import { accept, reject } from './signature-requirement.ts'

/** Which images a node runs: by transport and scope, what has to be so. */
export interface Policy {
  readonly default: readonly Requirement[]
  readonly transports: ReadonlyMap<string, ByScope>
}

/** Throws InvalidInput for what is no policy. */
export function readPolicy(text: string): Policy {
  const { default: rest, transports } = objectIn(jsonOrUndefined(text), 'it')
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
    transports: new Map([...base.transports, ...(scopes.size > 0 ? both(scopes) : [])]),
  }
}

/** The policy for the pods of one namespace: the cluster's, and more. */
export function namespacePolicy(cluster: Policy, signatures: ByScope): Policy {
  const joined = [...both(signatures)].map(([transport, added]) => {
    const there = cluster.transports.get(transport) ?? new Map<string, readonly Requirement[]>()
    const more = [...added].map(
      ([scope, list]) => [scope, [...(there.get(scope) ?? []), ...list]] as const,
    )
    return [transport, new Map([...there, ...more])] as const
  })
  return { ...cluster, transports: new Map([...cluster.transports, ...joined]) }
}

/** What holds for the images of a scope: the most precise entry alone, and a host before all hosts of its domain. */
export function requirementsFor(policy: Policy, scope: string): readonly Requirement[] {
  const docker = policy.transports.get('docker') ?? new Map<string, readonly Requirement[]>()
  const [nearest] = [...docker.keys()]
    .filter((one) => isNested(scope, one))
    .sort((a, b) => Number(isWildcard(a)) - Number(isWildcard(b)) || b.length - a.length)
  return nearest === undefined ? policy.default : docker.get(nearest)!
}

/** Byte for byte as the original's encoder writes it. */
export function policyText({ default: rest, transports }: Policy): string {
  const written = {
    default: rest,
    transports: sorted(
      [...transports].map(([name, scopes]) => [name, sorted([...scopes])] as const),
    ),
  }
  // These stand in texts only, where their numbers mean the same.
  const number = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(written, undefined, 2).replaceAll(/[<>&\u2028\u2029]/g, number)
}

/** The same for both transports, but one knows `host/namespace/name[:tag]` at most, and nodes fail at anything else there. */
function both(scopes: ByScope): [string, ByScope][] {
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
  throw new InvalidInput(`${what} is no JSON object`)
}

function requirementsIn(value: unknown, what: string): Requirement[] {
  const isRequirement = (one: unknown): one is Requirement =>
    isObject(one) && typeof one['type'] === 'string'
  if (Array.isArray(value) && value.every(isRequirement)) return value
  throw new InvalidInput(`${what} has no list of requirements`)
}
