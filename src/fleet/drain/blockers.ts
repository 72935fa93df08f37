import type { PodDisruptionBudget } from '@machinist/kube/kinds/policy'
import { keyOf, keyText } from '@machinist/core/resource'

/** A pod that cannot leave now. */
export interface Blocker {
  /** `namespace/name` */
  readonly pod: string
  readonly why: string
  /** RFC 3339 */
  readonly since: string
}

/** A condition is no place for hundreds of pods. */
const most = 20
const mostCharacters = 300

/** One clause for each pod on a single line, which `kubectl get events` shows and `blockersIn` reads back. */
export function blockersText(blockers: readonly Blocker[]): string {
  const clauses = blockers
    .slice(0, most)
    .map(({ pod, why, since }) => `${pod}: ${why} (since ${since})`)
  const more = blockers.length - clauses.length
  return [...clauses, ...(more > 0 ? [`and ${more} more`] : [])].join(separator)
}

/** The blockers that a text of ours tells: so their times outlive the process that wrote it. */
export function blockersIn(message: string | undefined): Blocker[] {
  const list = (message ?? '').replace(/^[^;]*? is held up by \d+ pods?: /, '')
  return list.split(separator).flatMap((clause) => {
    const [, pod, why, since] = blockerClause.exec(clause) ?? []
    return pod === undefined || why === undefined || since === undefined
      ? []
      : [{ pod, why, since }]
  })
}

/** `onOneLine` keeps it out of what others wrote. */
const separator = '; '
const blockerClause =
  /^([^\s/]+\/[^\s/:]+): (.+) \(since (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)\)(?:\. Error: .*)?$/

/** The same pods, for the same reasons, as far as a text tells them. */
export function sameBlockers(a: readonly Blocker[], b: readonly Blocker[]): boolean {
  return blockersText(a.slice(0, most)) === blockersText(b.slice(0, most))
}

/** Why a pod cannot be evicted: its budget, and what that waits for; or else what the server said. */
export function whyBlocked(
  budgets: readonly Readonly<PodDisruptionBudget>[],
  message: string,
): string {
  const [budget, ...others] = budgets.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  if (!budget) return onOneLine(message)
  if (others.length === 0) return onOneLine(whyHeldBy(budget))
  const names = [budget, ...others].map(nameOf).join(', ')
  return onOneLine(
    `PodDisruptionBudgets ${names} all select it, and Kubernetes evicts only pods with a single budget: change their selectors`,
  )
}

/** Without the number of healthy pods, which changes all the time. */
function whyHeldBy(budget: Readonly<PodDisruptionBudget>): string {
  const what = `PodDisruptionBudget ${nameOf(budget)} allows`
  const { disruptionsAllowed = 0, desiredHealthy, expectedPods } = budget.status ?? {}
  if (disruptionsAllowed > 0) {
    const count = disruptionsAllowed === 1 ? '1 disruption' : `${disruptionsAllowed} disruptions`
    return `${what} ${count} at a time, and other pods of it come first`
  }
  if (desiredHealthy === undefined || expectedPods === undefined) return `${what} 0 disruptions`
  const never = desiredHealthy >= expectedPods ? ', so none can ever be evicted' : ''
  return `${what} 0 disruptions: ${desiredHealthy} of its ${expectedPods} pods must be healthy${never}`
}

const nameOf = (budget: Readonly<PodDisruptionBudget>): string => keyText(keyOf(budget))

/** What others wrote, in a form that fits into a line and a list. */
export function onOneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll(';', ',').trim()
  if (line === '') return 'without a reason'
  const characters = Array.from(line)
  return characters.length <= mostCharacters
    ? line
    : `${characters.slice(0, mostCharacters).join('')}…`
}
