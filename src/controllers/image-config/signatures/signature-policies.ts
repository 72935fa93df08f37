import { InvalidInput } from '@machinist/core/errors'
import { plain, quoted } from '@machinist/core/quoted'
import type { Resource } from '@machinist/core/objects/resource'
import { keyText, keyOf, referenceTo } from '@machinist/core/objects/resource'
import type { ClusterImagePolicy, ImagePolicy } from '../../../api/openshift-config.ts'
import { clusterImagePolicies, imagePolicies } from '../../../api/openshift-config.ts'
import { clusterSettingsReasons as reasons } from '../../../api/reasons.ts'
import type { Problem } from '../model/problem.ts'
import type { RegistryLists } from '../registries/registry-lists.ts'
import { isNested, scopeProblem, trimmed } from '../model/scopes.ts'
import type { Requirement } from './signature-requirement.ts'
import { signatureRequirement } from './signature-requirement.ts'

export type ByScope = ReadonlyMap<string, readonly Requirement[]>

/** The signature requirements of all valid policies. */
export interface SignaturePolicies {
  readonly cluster: ByScope
  readonly namespaces: ReadonlyMap<string, ByScope>
  /** ImagePolicies, with the scopes that a ClusterImagePolicy covers. */
  readonly overruled: readonly Overruled[]
  readonly problems: readonly Problem[]
}

export interface Overruled {
  readonly policy: Readonly<ImagePolicy>
  /** Empty if no ClusterImagePolicy covers a scope. */
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
  // An invalid ClusterImagePolicy takes precedence over ImagePolicies too.
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

interface PolicyResult {
  readonly requirement?: Requirement
  /** The valid scopes; none without a requirement. */
  readonly scopes: readonly string[]
}

function read(
  policy: Readonly<ClusterImagePolicy | ImagePolicy>,
  resource: Resource,
  lists: Lists,
  problems: Problem[],
): PolicyResult {
  const addProblem = (message: string): void =>
    void problems.push({
      reason: reasons.badPolicy,
      effect: 'leftOut',
      message: `${resource.kind} ${keyText(keyOf(policy))}: ${message}`,
      about: referenceTo(resource, policy),
    })
  const requirement = requirementOf(policy, addProblem)
  if (!requirement) return { scopes: [] }
  const scopes = (policy.spec?.scopes ?? []).map(trimmed).filter((scope, i) => {
    const detail = scopeConflict(scope, lists)
    if (detail !== undefined) addProblem(`spec.scopes[${i}]: ${detail}`)
    return detail === undefined
  })
  return { requirement, scopes }
}

function requirementOf(
  { spec }: Readonly<ClusterImagePolicy | ImagePolicy>,
  addProblem: (message: string) => void,
): Requirement | undefined {
  try {
    return signatureRequirement(spec?.policy)
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    addProblem(error.message)
    return undefined
  }
}

/** Why a policy for a scope is invalid or contradicts the registry lists of Image `cluster`. */
function scopeConflict(scope: string, lists: Lists): string | undefined {
  const { allowed, policyBlocked, payloadException } = lists
  const detail = scopeProblem(scope)
  if (detail !== undefined) return `invalid scope ${quoted(scope)}: ${detail}; correct or remove it`
  const isIn = (one: string): boolean => isNested(scope, one)
  // Nodes pull it from a mirror although it is blocked, so a signature can be required.
  if (payloadException !== undefined && isIn(payloadException)) return undefined
  const blocked = policyBlocked.find(isIn)
  if (blocked !== undefined) {
    return `${plain(scope)} is blocked by ${plain(blocked)} in blockedRegistries of Image cluster; remove one of them`
  }
  if (allowed.length === 0 || allowed.some(isIn)) return undefined
  return `${plain(scope)} is not in allowedRegistries of Image cluster; add it there, or use a narrower scope`
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
