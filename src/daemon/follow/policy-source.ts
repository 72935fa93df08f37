import { names, namespaces } from '../../api/names.ts'
import type { MachineConfiguration } from '../../api/resources.ts'
import { machineConfigurations } from '../../api/resources.ts'
import type { ClusterDisruptionPolicies } from '../../api/kinds/node-disruption-policy.ts'
import type { Clock } from '@machinist/core/clock'
import type { KubeClient } from '@machinist/kube/client'
import { ifThere, isForbidden, isNotFound } from '@machinist/kube/failure'
import { configMaps } from '@machinist/kube/kinds/core'
import { mergePolicies } from '../../api/disruption-policy/merge.ts'
import { policyProblems } from '../../api/disruption-policy/validate.ts'
import type { StorageOverride } from '../../planner/plan-input.ts'
import type { RulesFact } from './facts.ts'
import type { RuleSource } from './rule-source.ts'

/** How long to wait for the operator to make up its mind. */
const patienceMs = 120_000
const lookEveryMs = 5000

/** The rules by which the cluster wants changes to be treated. Read when they are needed; never a reason to wait for ever. */
export class PolicySource {
  readonly #source: RuleSource
  readonly #client: KubeClient
  readonly #clock: Clock
  #lastGood: ClusterDisruptionPolicies | undefined
  #waiting: { readonly since: number; readonly asked: number } | undefined

  constructor(source: RuleSource, client: KubeClient, clock: Clock) {
    this.#source = source
    this.#client = client
    this.#clock = clock
  }

  /** Without asking the cluster: for when no rule will be applied. */
  unasked(): RulesFact {
    return { rules: this.#source === 'policy' ? { policies: mergePolicies() } : this.#source }
  }

  async current(signal: AbortSignal): Promise<RulesFact> {
    // The first generation asks for nothing.
    if (this.#source === '4.12') return this.unasked()
    const rules = this.#source === 'policy' ? await this.#policies(signal) : this.unasked()
    const registryDrainOverride = await this.#isOverridden(signal)
    return { ...rules, ...(registryDrainOverride && { registryDrainOverride }) }
  }

  async #policies(signal: AbortSignal): Promise<RulesFact> {
    const found = await this.#read(signal)
    if (!found) return this.#ready(this.unasked())
    const storage = found.spec?.irreconcilableValidationOverrides?.storage
    const overrides = storage && { overrides: storage as readonly StorageOverride[] }
    const policies = readyPolicies(found)
    if (policies) {
      this.#lastGood = policies
      return this.#ready({ rules: { policies }, ...overrides })
    }
    return { ...this.#fallback(found), ...overrides }
  }

  #ready(fact: RulesFact): RulesFact {
    this.#waiting = undefined
    return fact
  }

  #fallback({ spec }: MachineConfiguration): RulesFact {
    const now = this.#clock.elapsed()
    const { since, asked } = this.#waiting ?? { since: now, asked: now }
    // Nobody has needed them for so long that this is about something else.
    const from = now - asked > patienceMs ? now : since
    this.#waiting = { since: from, asked: now }
    const left = from + patienceMs - now
    const not = 'the status of MachineConfiguration cluster is not up to date'
    if (left > 0) {
      const waitMs = Math.min(left, lookEveryMs)
      return { ...this.unasked(), waitMs, note: `${not}: waiting for the operator` }
    }
    if (this.#lastGood) {
      const note = `${not}, so the last policy that was counts`
      return { rules: { policies: this.#lastGood }, note }
    }
    const user = spec?.nodeDisruptionPolicy
    const usable = user !== undefined && policyProblems(user).length === 0
    const note = `${not}, so ${usable ? 'its spec counts' : 'the built-in policy counts'}`
    return { rules: { policies: mergePolicies(usable ? user : {}) }, note }
  }

  async #isOverridden(signal: AbortSignal): Promise<boolean> {
    const [name, namespace] = [names.registryDrainOverride, namespaces.operator]
    try {
      await this.#client.getMetadata(configMaps, { name, namespace }, { signal })
      return true
    } catch (error) {
      // Who may not look has not been told of it.
      if (isNotFound(error) || isForbidden(error)) return false
      throw error
    }
  }

  /** A plain Kubernetes has no such kind. */
  #read(signal: AbortSignal): Promise<MachineConfiguration | undefined> {
    const name = names.machineConfiguration
    return ifThere(this.#client.get(machineConfigurations, { name }, { signal }))
  }
}

function readyPolicies(found: MachineConfiguration): ClusterDisruptionPolicies | undefined {
  const { metadata, status } = found
  const policies = status?.nodeDisruptionPolicyStatus?.clusterPolicies
  if (!policies || metadata.generation !== status?.observedGeneration) return undefined
  return policyProblems(policies, 'cluster').length === 0 ? policies : undefined
}
