import type { Labels, LabelSelector } from '@machinist/core/objects/selectors'
import { matchesLabels } from '@machinist/core/objects/selectors'
import type { ApiObject } from '../../kinds/kind-rules.ts'
import { selectorOfBudget, specOfBudget } from '../../verbs/eviction/budget.ts'

interface IndexedBudget {
  readonly selector: LabelSelector
  /** It depends on the scale of the pods' controllers. */
  readonly scaled: boolean
}

/** All budgets by namespace, to find those that a change affects. */
export class BudgetIndex {
  readonly #namespaces = new Map<string, Map<string, IndexedBudget>>()

  set(namespace: string, budget: ApiObject): void {
    const budgets = this.#namespaces.get(namespace) ?? new Map<string, IndexedBudget>()
    const { minAvailable, maxUnavailable } = specOfBudget(budget)
    const scaled = maxUnavailable !== undefined || typeof minAvailable === 'string'
    budgets.set(budget.metadata.name, { selector: selectorOfBudget(budget), scaled })
    this.#namespaces.set(namespace, budgets)
  }

  delete(namespace: string, name: string): void {
    const budgets = this.#namespaces.get(namespace)
    budgets?.delete(name)
    if (budgets?.size === 0) this.#namespaces.delete(namespace)
  }

  /** Names of the budgets that select these labels. */
  selecting(namespace: string, labels: Labels): string[] {
    return this.#names(namespace, ({ selector }) => matchesLabels(selector, labels))
  }

  /** Names of the budgets that depend on the scale of controllers. */
  scaled(namespace: string): string[] {
    return this.#names(namespace, ({ scaled }) => scaled)
  }

  #names(namespace: string, concerns: (budget: IndexedBudget) => boolean): string[] {
    const budgets = this.#namespaces.get(namespace) ?? []
    return [...budgets].filter(([, budget]) => concerns(budget)).map(([name]) => name)
  }
}
