import type { Clock } from '@machinist/core/clock'
import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound, isForbidden, isNotFound } from '@machinist/kube/failure'
import { configMaps } from '@machinist/kube/kinds/core'
import { names, namespaces } from '../../api/names.ts'
import type { MachineConfiguration } from '../../api/kinds/resources.ts'
import { machineConfigurations } from '../../api/kinds/resources.ts'
import type { ClusterDisruptionPolicies } from '../../api/kinds/node-disruption-policy.ts'
import { mergePolicies } from '../../api/disruption-policy/merge.ts'
import { policyProblems } from '../../api/disruption-policy/validate.ts'
import type { StorageOverride } from '../../planner/model/plan-input.ts'
import type { RuleFacts } from './facts/facts.ts'
import type { RuleSource } from './rule-source.ts'

/** How long to wait for the operator to update the status of MachineConfiguration. */
const timeoutMs = 120_000
const pollMs = 5000

/** Reads the disruption policy of the cluster when an update needs it. Never blocks an update for longer than the timeout. */
export class PolicySource {
  readonly #source: RuleSource
  readonly #client: KubeClient
  readonly #clock: Clock
  #lastGood: ClusterDisruptionPolicies | undefined
  #waiting: { readonly since: number; readonly requestedAt: number } | undefined

  constructor(source: RuleSource, client: KubeClient, clock: Clock) {
    this.#source = source
    this.#client = client
    this.#clock = clock
  }

  /** The rules without a request to the API server, for decisions that apply none. */
  defaults(): RuleFacts {
    return { rules: this.#source === 'policy' ? { policies: mergePolicies() } : this.#source }
  }

  async current(signal: AbortSignal): Promise<RuleFacts> {
    // The 4.12 rules do not depend on the cluster.
    if (this.#source === '4.12') return this.defaults()
    const rules = this.#source === 'policy' ? await this.#policies(signal) : this.defaults()
    const registryDrainOverride = await this.#isOverridden(signal)
    return { ...rules, ...(registryDrainOverride && { registryDrainOverride }) }
  }

  async #policies(signal: AbortSignal): Promise<RuleFacts> {
    const found = await this.#read(signal)
    if (!found) return this.#ready(this.defaults())
    const storage = found.spec?.irreconcilableValidationOverrides?.storage
    const overrides = storage && { overrides: storage as readonly StorageOverride[] }
    const policies = readyPolicies(found)
    if (policies) {
      this.#lastGood = policies
      return this.#ready({ rules: { policies }, ...overrides })
    }
    return { ...this.#fallback(found), ...overrides }
  }

  #ready(fact: RuleFacts): RuleFacts {
    this.#waiting = undefined
    return fact
  }

  #fallback({ spec }: MachineConfiguration): RuleFacts {
    const now = this.#clock.elapsed()
    const { since, requestedAt } = this.#waiting ?? { since: now, requestedAt: now }
    // The last request is too long ago to belong to the same update.
    const from = now - requestedAt > timeoutMs ? now : since
    this.#waiting = { since: from, requestedAt: now }
    const left = from + timeoutMs - now
    const not = 'the status of MachineConfiguration cluster is not up to date'
    if (left > 0) {
      const waitMs = Math.min(left, pollMs)
      return { ...this.defaults(), waitMs, note: `${not}: waiting for the operator` }
    }
    if (this.#lastGood) {
      const note = `${not}: using the last policy that was`
      return { rules: { policies: this.#lastGood }, note }
    }
    const user = spec?.nodeDisruptionPolicy
    const usable = user !== undefined && policyProblems(user).length === 0
    const note = `${not}: using ${usable ? 'its spec' : 'the built-in policy'}`
    return { rules: { policies: mergePolicies(usable ? user : {}) }, note }
  }

  async #isOverridden(signal: AbortSignal): Promise<boolean> {
    const [name, namespace] = [names.registryDrainOverride, namespaces.operator]
    try {
      await this.#client.getMetadata(configMaps, { name, namespace }, { signal })
      return true
    } catch (error) {
      // Without permission to read the ConfigMap, the override does not apply.
      if (isNotFound(error) || isForbidden(error)) return false
      throw error
    }
  }

  /** Undefined also on clusters without this kind. */
  #read(signal: AbortSignal): Promise<MachineConfiguration | undefined> {
    const name = names.machineConfiguration
    return ignoreNotFound(this.#client.get(machineConfigurations, { name }, { signal }))
  }
}

function readyPolicies(found: MachineConfiguration): ClusterDisruptionPolicies | undefined {
  const { metadata, status } = found
  const policies = status?.nodeDisruptionPolicyStatus?.clusterPolicies
  if (!policies || metadata.generation !== status?.observedGeneration) return undefined
  return policyProblems(policies, 'cluster').length === 0 ? policies : undefined
}
