import { InvalidInput } from '@machinist/core/errors'
import { isObject } from '@machinist/core/encoding/json'
import type { Resource } from '@machinist/core/objects/resource'
import { apiVersionOf } from '@machinist/core/objects/resource'
import { parseYaml } from '@machinist/core/encoding/yaml'
import type { ClusterDisruptionPolicies } from '../../../api/kinds/node-disruption-policy.ts'
import type { MachineConfig } from '../../../api/kinds/resources.ts'
import { machineConfigs, machineConfigurations } from '../../../api/kinds/resources.ts'
import type { StorageOverride } from '../../../planner/model/plan-input.ts'
import { mergePolicies } from '../../../api/disruption-policy/merge.ts'
import type { PolicyForm } from '../../../api/disruption-policy/validate.ts'
import { policyProblems } from '../../../api/disruption-policy/validate.ts'

/** Reads the single MachineConfig of a file. The planner validates its spec. */
export function readMachineConfig(text: string, origin: string): MachineConfig {
  const value = parseYaml(text, origin)
  if (!isObject(value)) throw new InvalidInput(`${origin}: contains no MachineConfig`)
  rejectOtherKind(value, machineConfigs, origin)
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

/** Reads the policies in force from a MachineConfiguration, or from a policy alone. */
export function readPolicy(text: string, origin: string): ReadPolicy {
  const value = parseYaml(text, origin)
  if (!isObject(value)) throw new InvalidInput(`${origin}: contains no policy`)
  if (value['kind'] === undefined) {
    return { policies: merged(value, origin, ''), overrides: [] }
  }
  rejectOtherKind(value, machineConfigurations, origin)
  const spec = inside(value, 'spec')
  return {
    policies:
      inForce(value, origin) ??
      merged(spec['nodeDisruptionPolicy'] ?? {}, origin, 'spec.nodeDisruptionPolicy'),
    overrides: overridesOf(spec, origin),
  }
}

/** The policies that the operator merged into the status, unless the spec has changed since. */
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
  rejectProblems(policies, 'cluster', origin, place)
  return policies as ClusterDisruptionPolicies
}

function merged(policy: unknown, origin: string, place: string): ClusterDisruptionPolicies {
  rejectProblems(policy, 'user', origin, place)
  return mergePolicies(policy as Parameters<typeof mergePolicies>[0])
}

function rejectProblems(policy: unknown, form: PolicyForm, origin: string, place: string): void {
  const problems = policyProblems(policy, form)
  if (problems.length === 0) return
  const texts = problems
    .slice(0, maxProblems)
    .map(({ path, message }) => [[place, path].filter(Boolean).join('.'), message].join(' ').trim())
  const more = problems.length - texts.length
  if (more > 0) texts.push(`and ${more} more`)
  throw new InvalidInput(`${origin}: ${texts.join('; ')}`)
}

const maxProblems = 5
const storageParts: readonly string[] = ['Disks', 'FileSystems', 'Raid']

function overridesOf(spec: Record<string, unknown>, origin: string): StorageOverride[] {
  const storage = inside(spec, 'irreconcilableValidationOverrides')['storage'] ?? []
  const isPart = (part: unknown): part is StorageOverride =>
    typeof part === 'string' && storageParts.includes(part)
  if (Array.isArray(storage) && storage.every(isPart)) return storage
  throw new InvalidInput(
    `${origin}: spec.irreconcilableValidationOverrides.storage must be a list of ${storageParts.join(', ')}`,
  )
}

function rejectOtherKind(value: Record<string, unknown>, place: Resource, origin: string): void {
  const { kind, apiVersion } = value
  const expected = apiVersionOf(place)
  if (kind === place.kind && (apiVersion === undefined || apiVersion === expected)) return
  const found = typeof kind === 'string' && kind !== place.kind ? kind : undefined
  throw new InvalidInput(
    found === undefined
      ? `${origin}: is not a ${place.kind} of ${expected}`
      : `${origin}: expected a ${place.kind}, found a ${found}`,
  )
}

function inside(value: Record<string, unknown>, key: string): Record<string, unknown> {
  const inner = Object.hasOwn(value, key) ? value[key] : undefined
  return isObject(inner) ? inner : {}
}
