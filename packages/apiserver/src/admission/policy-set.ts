import { isObject, sameJson } from '@machinist/core/encoding/json'
import type { ApiObject } from '../kinds/kind-rules.ts'
import { prefixOf } from '../objects/object-key.ts'
import type { VerbContext } from '../verbs/verb-context.ts'
import type { CompiledPolicy } from './policies/compiled-policy.ts'
import { compilePolicy } from './policies/compiled-policy.ts'
import { PolicyIndex } from './policy-index.ts'
import type { PolicyBinding, Policy, PolicySpec } from './policies/policy-objects.ts'
import { policyGroup } from './policies/policy-objects.ts'
import { ResourceMatcher } from './resource-matching.ts'

/** A policy with at least one binding. */
export interface ActivePolicy {
  readonly name: string
  readonly spec: PolicySpec
  readonly matcher: ResourceMatcher
  readonly bindings: readonly ActiveBinding[]
  /** Compiled on first use, once per change of the policy. */
  readonly compiled: () => CompiledPolicy
}

export interface ActiveBinding {
  readonly name: string
  readonly spec: PolicyBinding['spec']
  readonly matcher: ResourceMatcher
}

/** The stored policies and bindings. A write takes effect for the next request. */
export class PolicySet {
  readonly #policies = new Map<string, Omit<ActivePolicy, 'bindings'>>()
  /** By policy name, then by binding name. */
  readonly #bindings = new Map<string, Map<string, ActiveBinding>>()
  readonly #policyOfBinding = new Map<string, string>()
  readonly #index = new PolicyIndex<ActivePolicy>()
  readonly stop: () => void

  constructor({ store, kinds }: Pick<VerbContext, 'store' | 'kinds'>) {
    const prefixes = ['validatingadmissionpolicies', 'validatingadmissionpolicybindings'].map(
      (plural) => prefixOf(kinds.find(policyGroup, 'v1', plural)!),
    )
    const [policies = '', bindings = ''] = prefixes
    const onChange = (key: string, value: string | undefined): void => {
      if (key.startsWith(policies)) this.#onPolicyChange(key.slice(policies.length), parsed(value))
      if (key.startsWith(bindings)) this.#onBindingChange(key.slice(bindings.length), parsed(value))
    }
    for (const prefix of prefixes) {
      for (const { key, value } of store.range({ prefix })) onChange(key, value)
    }
    this.stop = store.subscribe(({ key, value }) => onChange(key, value))
  }

  get isEmpty(): boolean {
    return this.#index.isEmpty
  }

  about(places: readonly { readonly group: string; readonly plural: string }[]): ActivePolicy[] {
    return this.#index.at(places)
  }

  #onPolicyChange(name: string, object: ApiObject | undefined): void {
    const spec = object && (object as unknown as Policy).spec
    // Status updates must not trigger a recompilation.
    if (spec && sameJson(spec, this.#policies.get(name)?.spec)) return
    if (isObject(spec)) this.#policies.set(name, policyOf(name, spec))
    else this.#policies.delete(name)
    this.#update(name)
  }

  #onBindingChange(name: string, object: ApiObject | undefined): void {
    const old = this.#policyOfBinding.get(name)
    if (old !== undefined) {
      this.#bindings.get(old)?.delete(name)
      this.#policyOfBinding.delete(name)
      this.#update(old)
    }
    const spec = object && (object as unknown as PolicyBinding).spec
    if (!isObject(spec)) return
    const { policyName } = spec
    const there = this.#bindings.get(policyName) ?? new Map<string, ActiveBinding>()
    const matcher = new ResourceMatcher(spec.matchResources)
    this.#bindings.set(policyName, there.set(name, { name, spec, matcher }))
    this.#policyOfBinding.set(name, policyName)
    this.#update(policyName)
  }

  #update(name: string): void {
    const policy = this.#policies.get(name)
    const bindings = [...(this.#bindings.get(name)?.values() ?? [])]
    if (bindings.length === 0) this.#bindings.delete(name)
    if (policy && bindings.length > 0) {
      bindings.sort((a, b) => (a.name < b.name ? -1 : 1))
      this.#index.set({ ...policy, bindings }, policy.spec.matchConstraints)
    } else {
      this.#index.remove(name)
    }
  }
}

function policyOf(name: string, spec: PolicySpec): Omit<ActivePolicy, 'bindings'> {
  let made: CompiledPolicy | undefined
  return {
    name,
    spec,
    matcher: new ResourceMatcher(spec.matchConstraints),
    compiled: () => (made ??= compilePolicy(spec)),
  }
}

const parsed = (value: string | undefined): ApiObject | undefined =>
  value === undefined ? undefined : (JSON.parse(value) as ApiObject)
