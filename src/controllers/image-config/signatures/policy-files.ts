import { InvalidInput } from '@machinist/core/errors'
import { nodePaths } from '../../../api/node-paths.ts'
import { clusterImagePolicies } from '../../../api/openshift-config.ts'
import type { GeneratedFile } from '../../generated/files-spec.ts'
import type { RegistryLists } from '../registries/registry-lists.ts'
import type { StoredFiles } from '../model/stored-files.ts'
import { ifReadable } from '../model/stored-files.ts'
import { lostSignatures } from './lost-signatures.ts'
import type { Policy } from './policy-json.ts'
import { clusterPolicy, namespacePolicy, policyText, readPolicy } from './policy-json.ts'
import type { ByScope, SignaturePolicies } from './signature-policies.ts'

/** The signature policy files of nodes: one for the cluster, and one for each namespace with additional requirements. */
export interface PolicyFiles {
  readonly files: readonly GeneratedFile[]
  /** All scopes that require signatures. */
  readonly signedScopes: readonly string[]
}

interface PolicyInputs {
  readonly lists: RegistryLists
  readonly signatures: SignaturePolicies
}

const pathOf = (namespace: string): string => `/etc/crio/policies/${namespace}.json`

/** Pure. Throws InvalidInput if there are requirements and the base file cannot be read. */
export function makePolicyFiles(
  inputs: PolicyInputs,
  base: string,
  stored: StoredFiles,
): PolicyFiles {
  if (hasNoRequirements(inputs)) return { files: [], signedScopes: [] }
  const { lists, signatures } = inputs
  const basePolicy = readBase(base)
  const signed = clusterSignatures(basePolicy, inputs, stored)
  const cluster = clusterPolicy(basePolicy, lists, signed)
  const namespaces = namespaceSignatures(cluster, signatures, stored)
  const isClusterWide =
    signed.size + lists.allowed.length + lists.policyBlocked.length > 0 ||
    lists.payloadException !== undefined
  const files = [
    { path: nodePaths.imagePolicy, text: isClusterWide ? policyText(cluster) : base },
    ...[...namespaces].map(([name, own]) => ({
      path: pathOf(name),
      text: policyText(namespacePolicy(cluster, own)),
    })),
  ]
  const signedIn = [...namespaces.values()].flatMap((scopes) => scopes.keys().toArray())
  return {
    files: isClusterWide || namespaces.size > 0 ? files : [],
    signedScopes: [...signed.keys(), ...signedIn],
  }
}

const hasNoRequirements = ({ lists, signatures }: PolicyInputs): boolean =>
  lists.payloadException === undefined &&
  lists.allowed.length + lists.policyBlocked.length === 0 &&
  signatures.cluster.size + signatures.namespaces.size + signatures.problems.length === 0

/** Includes the signatures that nodes require now, as long as an invalid policy may be the one that requires them. */
function clusterSignatures(
  base: Policy,
  { lists, signatures: { cluster, problems } }: PolicyInputs,
  stored: StoredFiles,
): ByScope {
  const isUnread = problems.some(({ about }) => about?.kind === clusterImagePolicies.kind)
  const before = isUnread ? readStored(stored, nodePaths.imagePolicy) : undefined
  const lost = before ? lostSignatures(clusterPolicy(base, lists, cluster), before) : []
  return new Map([...cluster, ...lost])
}

/** The same per namespace: an invalid policy does not affect other namespaces. */
function namespaceSignatures(
  cluster: Policy,
  { namespaces, problems }: SignaturePolicies,
  stored: StoredFiles,
): ReadonlyMap<string, ByScope> {
  const unread = new Set(problems.flatMap(({ about }) => about?.namespace ?? []))
  const names = [...new Set([...namespaces.keys(), ...unread])].sort()
  const all = names.map((name) => {
    const own: ByScope = namespaces.get(name) ?? new Map()
    const before = unread.has(name) ? readStored(stored, pathOf(name)) : undefined
    const lost = before ? lostSignatures(namespacePolicy(cluster, own), before) : []
    return [name, new Map([...own, ...lost])] as const
  })
  return new Map(all.filter(([, scopes]) => scopes.size > 0))
}

function readStored(stored: StoredFiles, path: string): Policy | undefined {
  const text = stored.get(path)
  return text === undefined ? undefined : ifReadable(() => readPolicy(text))
}

function readBase(text: string): Policy {
  try {
    return readPolicy(text)
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw new InvalidInput(`${nodePaths.imagePolicy}: ${error.message}`, { cause: error })
  }
}
