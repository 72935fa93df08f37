import type { ClusterDisruptionPolicies } from '../../api/kinds/node-disruption-policy.ts'
import type { MachineConfig } from '../../api/resources.ts'
import { machineConfigs, machineConfigurations } from '../../api/resources.ts'
import { InvalidInput } from '@machinist/core/errors'
import { isObject } from '@machinist/core/json'
import type { Resource } from '@machinist/core/resource'
import { apiVersionOf } from '@machinist/core/resource'
import { parseYaml } from '@machinist/core/yaml'
import type { StorageOverride } from '../../planner/plan-input.ts'
import { mergePolicies } from '../../api/disruption-policy/merge.ts'
import type { PolicyForm } from '../../api/disruption-policy/validate.ts'
import { policyProblems } from '../../api/disruption-policy/validate.ts'

/** The one MachineConfig in a file. What is inside of its spec is for the plan to judge. */
export function readMachineConfig(text: string, origin: string): MachineConfig {
  const value = parseYaml(text, origin)
  if (!isObject(value)) throw new InvalidInput(`${origin}: holds no MachineConfig`)
  refuseOtherKind(value, machineConfigs, origin)
  const { metadata } = value
  if (!isObject(metadata) || typeof metadata['name'] !== 'string' || metadata['name'] === '') {
    throw new InvalidInput(`${origin}: the MachineConfig has no metadata.name`)
  }
  return value as unknown as MachineConfig
}

export interface ReadPolicy {
  readonly policies: ClusterDisruptionPolicies
  readonly overrides: readonly StorageOverride[]
}

/** The policies that a MachineConfiguration puts in force, or that a bare policy would. */
export function readPolicy(text: string, origin: string): ReadPolicy {
  const value = parseYaml(text, origin)
  if (!isObject(value)) throw new InvalidInput(`${origin}: holds no policy`)
  if (value['kind'] === undefined) {
    return { policies: merged(value, origin, ''), overrides: [] }
  }
  refuseOtherKind(value, machineConfigurations, origin)
  const spec = inside(value, 'spec')
  return {
    policies:
      inForce(value, origin) ??
      merged(spec['nodeDisruptionPolicy'] ?? {}, origin, 'spec.nodeDisruptionPolicy'),
    overrides: overridesOf(spec, origin),
  }
}

/** What the operator made of the spec, unless the spec has changed since. */
function inForce(
  value: Record<string, unknown>,
  origin: string,
): ClusterDisruptionPolicies | undefined {
  const status = inside(value, 'status')
  const policies = inside(status, 'nodeDisruptionPolicyStatus')['clusterPolicies']
  const { generation } = inside(value, 'metadata')
  const outdated = generation !== undefined && status['observedGeneration'] !== generation
  if (policies === undefined || outdated) return undefined
  const place = 'status.nodeDisruptionPolicyStatus.clusterPolicies'
  refuseProblems(policies, 'cluster', origin, place)
  return policies as ClusterDisruptionPolicies
}

function merged(policy: unknown, origin: string, place: string): ClusterDisruptionPolicies {
  refuseProblems(policy, 'user', origin, place)
  return mergePolicies(policy as Parameters<typeof mergePolicies>[0])
}

function refuseProblems(policy: unknown, form: PolicyForm, origin: string, place: string): void {
  const problems = policyProblems(policy, form)
  if (problems.length === 0) return
  const texts = problems
    .slice(0, shownAtMost)
    .map(({ path, message }) => [[place, path].filter(Boolean).join('.'), message].join(' ').trim())
  const more = problems.length - texts.length
  if (more > 0) texts.push(`and ${more} more`)
  throw new InvalidInput(`${origin}: ${texts.join('; ')}`)
}

const shownAtMost = 5
const storageParts: readonly string[] = ['Disks', 'FileSystems', 'Raid']

function overridesOf(spec: Record<string, unknown>, origin: string): StorageOverride[] {
  const storage = inside(spec, 'irreconcilableValidationOverrides')['storage'] ?? []
  const isPart = (part: unknown): part is StorageOverride =>
    typeof part === 'string' && storageParts.includes(part)
  if (Array.isArray(storage) && storage.every(isPart)) return storage
  throw new InvalidInput(
    `${origin}: spec.irreconcilableValidationOverrides.storage has to be a list of ${storageParts.join(', ')}`,
  )
}

function refuseOtherKind(value: Record<string, unknown>, place: Resource, origin: string): void {
  const { kind, apiVersion } = value
  const wanted = apiVersionOf(place)
  if (kind === place.kind && (apiVersion === undefined || apiVersion === wanted)) return
  const found = typeof kind === 'string' && kind !== place.kind ? kind : undefined
  throw new InvalidInput(
    found === undefined
      ? `${origin}: is not a ${place.kind} of ${wanted}`
      : `${origin}: is a ${found} where a ${place.kind} was expected`,
  )
}

function inside(value: Record<string, unknown>, key: string): Record<string, unknown> {
  const inner = Object.hasOwn(value, key) ? value[key] : undefined
  return isObject(inner) ? inner : {}
}
