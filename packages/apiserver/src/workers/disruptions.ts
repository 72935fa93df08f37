import type { Logger } from '@machinist/core/log'
import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import { selectorOfBudget, withStatus } from '../verbs/eviction/budget.ts'
import type { KeyPlace } from '../objects/object-key.ts'
import { placeOfKey, prefixOf } from '../objects/object-key.ts'
import { update } from '../verbs/update.ts'
import type { VerbContext } from '../verbs/verb-context.ts'
import { ownWrite } from '../verbs/verb-context.ts'
import type { BudgetCount } from './disruption/budget-count.ts'
import { countBudget, uncounted } from './disruption/budget-count.ts'
import { BudgetIndex } from './disruption/budget-index.ts'
import { expectedScale } from './disruption/expected-scale.ts'
import { indexedPod, PodIndex } from './disruption/pod-index.ts'
import { CannotCount } from './disruption/share-of.ts'
import { ignoreMissing } from './ignore-missing.ts'
import { KeyedWork } from './keyed-work.ts'

/** Maintains the status of PodDisruptionBudgets. */
export class DisruptionWorker {
  readonly #context: VerbContext
  readonly #pods = new PodIndex()
  readonly #budgets = new BudgetIndex()
  readonly #budgetKind: ServedKind
  /** By `namespace/name` of the budget. */
  readonly #work: KeyedWork
  readonly #stop: () => void

  constructor(context: VerbContext, log: Logger) {
    this.#context = context
    this.#work = new KeyedWork((key) => this.#reconcile(key), context.clock, log)
    const { kinds, store } = context
    this.#budgetKind = kinds.findResource('policy', 'poddisruptionbudgets')!
    const podKind = kinds.findResource('', 'pods')!
    // Pods first: a budget counts the indexed ones.
    for (const kind of [podKind, this.#budgetKind]) {
      for (const { key, value } of store.range({ prefix: prefixOf(kind) }))
        this.#onChange(key, value)
    }
    this.#stop = store.subscribe(({ key, value }) => this.#onChange(key, value))
  }

  async stop(): Promise<void> {
    this.#stop()
    await this.#work.stop()
  }

  #onChange(key: string, value: string | undefined): void {
    const place = placeOfKey(key)
    if (place?.namespace === undefined) return
    const { group, plural, namespace } = place
    const changed = { ...place, namespace }
    if (group === '' && plural === 'pods') this.#onPodChange(changed, value)
    else if (group === 'policy' && plural === 'poddisruptionbudgets')
      this.#onBudgetChange(changed, value)
    else this.#onScaleChange(changed)
  }

  /** The scale of a controller may have changed. */
  #onScaleChange({ group, plural, namespace }: Changed): void {
    const budgets = this.#budgets.scaled(namespace)
    if (budgets.length === 0) return
    const kind = this.#context.kinds.findResource(group, plural)
    const scales = kind?.subresources.some(({ name }) => name === 'scale')
    if (scales) this.#count(namespace, budgets)
  }

  #onPodChange({ namespace, name }: Changed, value: string | undefined): void {
    const before = this.#pods.get(namespace, name)
    const after = value === undefined ? undefined : indexedPod(JSON.parse(value) as ApiObject)
    if (after) this.#pods.set(namespace, after)
    else this.#pods.delete(namespace, name)
    for (const pod of [before, after]) {
      if (pod) this.#count(namespace, this.#budgets.selecting(namespace, pod.labels))
    }
  }

  #onBudgetChange({ namespace, name }: Changed, value: string | undefined): void {
    if (value === undefined) return this.#budgets.delete(namespace, name)
    this.#budgets.set(namespace, JSON.parse(value) as ApiObject)
    this.#count(namespace, [name])
  }

  #count(namespace: string, budgets: readonly string[]): void {
    for (const name of budgets) this.#work.add(`${namespace}/${name}`)
  }

  async #reconcile(key: string): Promise<void> {
    const [namespace = '', name = ''] = key.split('/')
    const target = { kind: this.#budgetKind, namespace, name, subresource: 'status' }
    let recountAt: number | undefined
    const counted = (budget: ApiObject): ApiObject => {
      const count = this.#counted(namespace, budget)
      recountAt = count.recountAt
      return withStatus(budget, count.status)
    }
    await ignoreMissing(update(this.#context, target, counted, counting))
    if (recountAt !== undefined) this.#work.addAfter(key, recountAt - this.#context.clock.now())
  }

  #counted(namespace: string, budget: ApiObject): BudgetCount {
    const pods = this.#pods.selected(namespace, selectorOfBudget(budget))
    const now = this.#context.clock.now()
    try {
      return countBudget(budget, pods, () => expectedScale(this.#context, namespace, pods), now)
    } catch (error) {
      if (!(error instanceof CannotCount)) throw error
      return { status: uncounted(budget, error.message, now) }
    }
  }
}

type Changed = KeyPlace & { readonly namespace: string }

const counting = { ...ownWrite, fieldManager: 'kube-controller-manager' }
