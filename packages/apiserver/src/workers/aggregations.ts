import { sameJson } from '@machinist/core/encoding/json'
import type { Logger } from '@machinist/core/log'
import type { ClusterRole } from '../authorization/rbac-objects.ts'
import { rbacGroup } from '../authorization/rbac-objects.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import { prefixOf } from '../objects/object-key.ts'
import { patch } from '../verbs/patch.ts'
import type { VerbContext } from '../verbs/verb-context.ts'
import { ownWrite } from '../verbs/verb-context.ts'
import { aggregatedRules } from './aggregated-rules.ts'
import { ignoreMissing } from './ignore-missing.ts'
import { KeyedWork } from './keyed-work.ts'

/** Maintains the rules of aggregating cluster roles. */
export class AggregationWorker {
  readonly #context: VerbContext
  readonly #kind: ServedKind
  readonly #prefix: string
  readonly #roles = new Map<string, ClusterRole>()
  /** Names of the aggregating roles. */
  readonly #aggregating = new Set<string>()
  readonly #work: KeyedWork
  readonly #stop: () => void

  constructor(context: VerbContext, log: Logger) {
    this.#context = context
    this.#kind = context.kinds.findResource(rbacGroup, 'clusterroles')!
    this.#prefix = prefixOf(this.#kind)
    this.#work = new KeyedWork((name) => this.#reconcile(name), context.clock, log)
    for (const { key, value } of context.store.range({ prefix: this.#prefix })) {
      this.#onChange(key, value)
    }
    this.#stop = context.store.subscribe(({ key, value }) => {
      if (key.startsWith(this.#prefix)) this.#onChange(key, value)
    })
  }

  async stop(): Promise<void> {
    this.#stop()
    await this.#work.stop()
  }

  /** Aggregating roles are few and can be nested: requeue all of them. */
  #onChange(key: string, value: string | undefined): void {
    const name = key.slice(this.#prefix.length)
    const role = value === undefined ? undefined : (JSON.parse(value) as ClusterRole)
    if (role) this.#roles.set(name, role)
    else this.#roles.delete(name)
    if (role?.aggregationRule) this.#aggregating.add(name)
    else this.#aggregating.delete(name)
    for (const each of this.#aggregating) this.#work.add(each)
  }

  async #reconcile(name: string): Promise<void> {
    const role = this.#roles.get(name)
    const rules = role && aggregatedRules(role, [...this.#roles.values()])
    if (!rules || sameJson(rules, role.rules ?? [])) return
    const body = {
      apiVersion: `${rbacGroup}/v1`,
      kind: 'ClusterRole',
      metadata: { name },
      rules,
    }
    const sent = { mediaType: 'application/apply-patch+yaml', body, force: true }
    await ignoreMissing(patch(this.#context, { kind: this.#kind, name }, sent, isAggregating))
  }
}

const isAggregating = { ...ownWrite, fieldManager: 'clusterrole-aggregation-controller' }
