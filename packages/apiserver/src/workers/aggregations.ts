import { sameJson } from '@machinist/core/json'
import type { Logger } from '@machinist/core/log'
import type { ClusterRole } from '../authorization/rbac-objects.ts'
import { rbacGroup } from '../authorization/rbac-objects.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import { prefixOf } from '../verbs/object-key.ts'
import { patch } from '../verbs/patch.ts'
import type { VerbContext } from '../verbs/verb-context.ts'
import { ownWrite } from '../verbs/verb-context.ts'
import { aggregatedRules } from './aggregated-rules.ts'
import { ifThere } from './if-there.ts'
import { KeyedWork } from './keyed-work.ts'

/** Fills the rules of cluster roles that collect those of others. */
export class AggregationWorker {
  readonly #context: VerbContext
  readonly #kind: ServedKind
  readonly #prefix: string
  readonly #roles = new Map<string, ClusterRole>()
  /** The names of those that collect. */
  readonly #collecting = new Set<string>()
  readonly #work: KeyedWork
  readonly #stop: () => void

  constructor(context: VerbContext, log: Logger) {
    this.#context = context
    this.#kind = context.kinds.findResource(rbacGroup, 'clusterroles')!
    this.#prefix = prefixOf(this.#kind)
    this.#work = new KeyedWork((name) => this.#settle(name), context.clock, log)
    for (const { key, value } of context.store.range({ prefix: this.#prefix })) {
      this.#heard(key, value)
    }
    this.#stop = context.store.subscribe(({ key, value }) => {
      if (key.startsWith(this.#prefix)) this.#heard(key, value)
    })
  }

  async stop(): Promise<void> {
    this.#stop()
    await this.#work.stop()
  }

  /** Roles are few, those that collect are fewer, and who collects whom may form chains: look at all of these. */
  #heard(key: string, value: string | undefined): void {
    const name = key.slice(this.#prefix.length)
    const role = value === undefined ? undefined : (JSON.parse(value) as ClusterRole)
    if (role) this.#roles.set(name, role)
    else this.#roles.delete(name)
    if (role?.aggregationRule) this.#collecting.add(name)
    else this.#collecting.delete(name)
    for (const each of this.#collecting) this.#work.add(each)
  }

  async #settle(name: string): Promise<void> {
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
    await ifThere(patch(this.#context, { kind: this.#kind, name }, sent, collecting))
  }
}

const collecting = { ...ownWrite, fieldManager: 'clusterrole-aggregation-controller' }
