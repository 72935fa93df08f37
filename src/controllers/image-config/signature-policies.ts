import type { ClusterImagePolicy, ImagePolicy } from '../../api/openshift-config.ts'
import { clusterImagePolicies, imagePolicies } from '../../api/openshift-config.ts'
import { clusterSettingsReasons as reasons } from '../../api/reasons.ts'
import { InvalidInput } from '@machinist/core/errors'
import { plain } from '@machinist/core/quoted'
import type { Resource } from '@machinist/core/resource'
import { keyText, keyOf, referenceTo } from '@machinist/core/resource'
import type { Problem } from './problem.ts'
import type { RegistryLists } from './registry-lists.ts'
import { isNested, scopeProblem, shown, trimmed } from './scopes.ts'
import type { Requirement } from './signature-requirement.ts'
import { signatureRequirement } from './signature-requirement.ts'

export type ByScope = ReadonlyMap<string, readonly Requirement[]>

/** What the cluster's policies ask of signatures, as far as it can be done. */
export interface SignaturePolicies {
  readonly cluster: ByScope
  readonly namespaces: ReadonlyMap<string, ByScope>
  /** ImagePolicies with scopes that a ClusterImagePolicy decides. */
  readonly overruled: readonly Overruled[]
  readonly problems: readonly Problem[]
}

export interface Overruled {
  readonly policy: Readonly<ImagePolicy>
  /** None if all of it holds. */
  readonly scopes: readonly string[]
}

export interface PolicyObjects {
  readonly clusterPolicies: readonly Readonly<ClusterImagePolicy>[]
  readonly policies: readonly Readonly<ImagePolicy>[]
}

type Lists = Pick<RegistryLists, 'allowed' | 'policyBlocked' | 'payloadException'>

export function signaturePolicies(
  { clusterPolicies, policies }: PolicyObjects,
  lists: Lists,
): SignaturePolicies {
  const problems: Problem[] = []
  const cluster = new Map<string, Requirement[]>()
  for (const policy of clusterPolicies.toSorted(byName)) {
    const { requirement, scopes } = read(policy, clusterImagePolicies, lists, problems)
    for (const scope of scopes) add(cluster, scope, requirement!)
  }
  // Also one that cannot be used is not to be overruled in a namespace.
  const clusterScopes = clusterPolicies.flatMap(({ spec }) => spec?.scopes?.map(trimmed) ?? [])
  const namespaces = new Map<string, Map<string, Requirement[]>>()
  const overruled: Overruled[] = []
  for (const policy of policies.toSorted(byName)) {
    const { requirement, scopes } = read(policy, imagePolicies, lists, problems)
    const isOverruled = (scope: string): boolean =>
      clusterScopes.some((one) => isNested(scope, one))
    overruled.push({ policy, scopes: scopes.filter(isOverruled) })
    const namespace = policy.metadata.namespace ?? ''
    for (const scope of scopes.filter((one) => !isOverruled(one))) {
      if (!namespaces.has(namespace)) namespaces.set(namespace, new Map())
      add(namespaces.get(namespace)!, scope, requirement!)
    }
  }
  return { cluster, namespaces, overruled, problems }
}

interface Reading {
  readonly requirement?: Requirement
  /** Those that can be done; none without a requirement. */
  readonly scopes: readonly string[]
}

function read(
  policy: Readonly<ClusterImagePolicy | ImagePolicy>,
  place: Resource,
  lists: Lists,
  problems: Problem[],
): Reading {
  const tell = (message: string): void =>
    void problems.push({
      reason: reasons.badPolicy,
      effect: 'leftOut',
      message: `${place.kind} ${keyText(keyOf(policy))}: ${message}`,
      about: referenceTo(place, policy),
    })
  const requirement = requirementOf(policy, tell)
  if (!requirement) return { scopes: [] }
  const scopes = (policy.spec?.scopes ?? []).map(trimmed).filter((scope, i) => {
    const wrong = scopeConflict(scope, lists)
    if (wrong !== undefined) tell(`spec.scopes[${i}]: ${wrong}`)
    return wrong === undefined
  })
  return { requirement, scopes }
}

function requirementOf(
  { spec }: Readonly<ClusterImagePolicy | ImagePolicy>,
  tell: (message: string) => void,
): Requirement | undefined {
  try {
    return signatureRequirement(spec?.policy)
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    tell(error.message)
    return undefined
  }
}

/** Why a policy for a scope would say something else than the lists of registries do. */
function scopeConflict(scope: string, lists: Lists): string | undefined {
  const { allowed, policyBlocked, payloadException } = lists
  const wrong = scopeProblem(scope)
  if (wrong !== undefined) return `${shown(scope)} cannot be used: ${wrong}`
  const isIn = (one: string): boolean => isNested(scope, one)
  // Pulled from a mirror although it is blocked, and so it can be asked to be signed.
  if (payloadException !== undefined && isIn(payloadException)) return undefined
  const blocked = policyBlocked.find(isIn)
  if (blocked !== undefined) {
    return `${plain(scope)} is blocked by ${plain(blocked)} in blockedRegistries of Image cluster; remove one of them`
  }
  if (allowed.length === 0 || allowed.some(isIn)) return undefined
  return `${plain(scope)} is not inside what allowedRegistries of Image cluster allows; allow it, or choose a smaller scope`
}

function add(scopes: Map<string, Requirement[]>, scope: string, requirement: Requirement): void {
  scopes.set(scope, [...(scopes.get(scope) ?? []), requirement])
}

function byName(
  a: Readonly<ClusterImagePolicy | ImagePolicy>,
  b: Readonly<ClusterImagePolicy | ImagePolicy>,
): number {
  const key = ({ metadata }: typeof a): string => `${metadata.namespace ?? ''}/${metadata.name}`
  return key(a) < key(b) ? -1 : 1
}
