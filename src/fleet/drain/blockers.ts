import type { PodDisruptionBudget } from '@machinist/kube/kinds/policy'
import { keyOf, keyText } from '@machinist/core/objects/resource'

/** A pod that cannot be evicted now. */
export interface DrainBlocker {
  /** `namespace/name` */
  readonly pod: string
  readonly why: string
  /** RFC 3339 */
  readonly since: string
}

/** Keeps conditions short. */
const maxNamed = 20
const maxCharacters = 300

/** One clause per pod, on one line for `kubectl get events`. `parseBlockers` reads it back. */
export function formatBlockers(blockers: readonly DrainBlocker[]): string {
  const clauses = blockers
    .slice(0, maxNamed)
    .map(({ pod, why, since }) => `${pod}: ${why} (since ${since})`)
  const more = blockers.length - clauses.length
  return [...clauses, ...(more > 0 ? [`and ${more} more`] : [])].join(separator)
}

/** Reads blockers from a message, so that their start times survive a restart. */
export function parseBlockers(message: string | undefined): DrainBlocker[] {
  const list = (message ?? '').replace(/^[^;]*? is held up by \d+ pods?: /, '')
  return list.split(separator).flatMap((clause) => {
    const [, pod, why, since] = blockerClause.exec(clause) ?? []
    return pod === undefined || why === undefined || since === undefined
      ? []
      : [{ pod, why, since }]
  })
}

/** `onOneLine` removes it from texts of other components. */
const separator = '; '
const blockerClause =
  /^([^\s/]+\/[^\s/:]+): (.+) \(since (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)\)(?:\. Error: .*)?$/

/** Whether the named pods and reasons are the same. */
export function sameBlockers(a: readonly DrainBlocker[], b: readonly DrainBlocker[]): boolean {
  return formatBlockers(a.slice(0, maxNamed)) === formatBlockers(b.slice(0, maxNamed))
}

/** Why a pod cannot be evicted: its PodDisruptionBudget, or else the message of the API server. */
export function blockReason(
  budgets: readonly Readonly<PodDisruptionBudget>[],
  message: string,
): string {
  const [budget, ...others] = budgets.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  if (!budget) return onOneLine(message)
  if (others.length === 0) return onOneLine(budgetReason(budget))
  const names = [budget, ...others].map(nameOf).join(', ')
  return onOneLine(
    `PodDisruptionBudgets ${names} all select it, and Kubernetes evicts only pods with a single budget: change their selectors`,
  )
}

/** Without the number of healthy pods, because it changes all the time. */
function budgetReason(budget: Readonly<PodDisruptionBudget>): string {
  const prefix = `PodDisruptionBudget ${nameOf(budget)} allows`
  const { disruptionsAllowed = 0, desiredHealthy, expectedPods } = budget.status ?? {}
  if (disruptionsAllowed > 0) {
    const count = disruptionsAllowed === 1 ? '1 disruption' : `${disruptionsAllowed} disruptions`
    return `${prefix} ${count} at a time, and other pods that it selects come first`
  }
  if (desiredHealthy === undefined || expectedPods === undefined) return `${prefix} 0 disruptions`
  const never = desiredHealthy >= expectedPods ? ', so none can ever be evicted' : ''
  return `${prefix} 0 disruptions: ${desiredHealthy} of its ${expectedPods} pods must be healthy${never}`
}

const nameOf = (budget: Readonly<PodDisruptionBudget>): string => keyText(keyOf(budget))

/** Text of another component, bounded and safe for a line and a list. */
export function onOneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll(';', ',').trim()
  if (line === '') return 'without a reason'
  const characters = Array.from(line)
  return characters.length <= maxCharacters
    ? line
    : `${characters.slice(0, maxCharacters).join('')}…`
}
