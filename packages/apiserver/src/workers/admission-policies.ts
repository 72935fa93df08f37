import type { Logger } from '@machinist/core/log'
import type { ApiObject } from '../kinds/kind-rules.ts'
import { statusOf } from '../kinds/fields.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import { placeOfKey, prefixOf } from '../objects/object-key.ts'
import { update } from '../verbs/update.ts'
import type { VerbContext } from '../verbs/verb-context.ts'
import { ownWrite } from '../verbs/verb-context.ts'
import { policyGroup } from '../admission/policies/policy-objects.ts'
import { ignoreMissing } from './ignore-missing.ts'
import { KeyedWork } from './keyed-work.ts'

/** Sets observedGeneration in the status of every policy, as kube-controller-manager does. */
export class PolicyWorker {
  readonly #context: VerbContext
  readonly #kind: ServedKind
  readonly #work: KeyedWork
  readonly #stop: () => void

  constructor(context: VerbContext, log: Logger) {
    this.#context = context
    this.#kind = context.kinds.find(policyGroup, 'v1', 'validatingadmissionpolicies')!
    this.#work = new KeyedWork((key) => this.#reconcile(key), context.clock, log)
    const prefix = prefixOf(this.#kind)
    for (const { key } of context.store.range({ prefix })) this.#work.add(key)
    this.#stop = context.store.subscribe(({ key, value }) => {
      if (value !== undefined && key.startsWith(prefix)) this.#work.add(key)
    })
  }

  async stop(): Promise<void> {
    this.#stop()
    await this.#work.stop()
  }

  async #reconcile(key: string): Promise<void> {
    const name = placeOfKey(key)?.name
    if (name === undefined) return
    const target = { kind: this.#kind, name, subresource: 'status' }
    await ignoreMissing(update(this.#context, target, observed, ownWrite))
  }
}

/** Types are checked when the policy is written, so there are no type-checking warnings. */
function observed(policy: ApiObject): ApiObject {
  const status = statusOf(policy)
  if (status['observedGeneration'] === policy.metadata.generation) return policy
  status['observedGeneration'] = policy.metadata.generation
  status['typeChecking'] = {}
  return policy
}
