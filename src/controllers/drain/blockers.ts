import type { PodDisruptionBudget } from '../../kube/kinds/policy.ts'
import { keyOf, keyText } from '../../base/resource.ts'

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

/** One line each, that people can read and `blockersIn` reads back. */
export function blockersText(blockers: readonly Blocker[]): string {
  const lines = blockers
    .slice(0, most)
    .map(({ pod, why, since }) => `${pod}: ${why} (since ${since})`)
  const more = blockers.length - lines.length
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n')
}

/** The blockers that a text of ours tells: so their times outlive the process that wrote it. */
export function blockersIn(message: string | undefined): Blocker[] {
  return (message ?? '').split('\n').flatMap((line) => {
    const [, pod, why, since] = blockerLine.exec(line) ?? []
    return pod === undefined || why === undefined || since === undefined
      ? []
      : [{ pod, why, since }]
  })
}

const blockerLine = /^([^\s/]+\/[^\s/:]+): (.+) \(since (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)\)$/

/** The same pods, for the same reasons, as far as a text tells them. */
export function sameBlockers(a: readonly Blocker[], b: readonly Blocker[]): boolean {
  return blockersText(a.slice(0, most)) === blockersText(b.slice(0, most))
}

/** What holds a pod back, of all that is known: the budgets themselves, or else what the server said. */
export function whyBlocked(
  budgets: readonly Readonly<PodDisruptionBudget>[],
  message: string,
): string {
  const named = budgets
    .map((budget) => {
      const allowed = budget.status?.disruptionsAllowed ?? 0
      const plural = allowed === 1 ? 'disruption' : 'disruptions'
      return `PodDisruptionBudget ${keyText(keyOf(budget))} allows ${allowed} ${plural}`
    })
    .sort()
  return onOneLine(named.length > 0 ? named.join(', ') : message)
}

/** What others wrote, in a form that fits into a line. */
export function onOneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  if (line === '') return 'without a reason'
  const characters = Array.from(line)
  return characters.length <= mostCharacters
    ? line
    : `${characters.slice(0, mostCharacters).join('')}…`
}
