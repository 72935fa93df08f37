import {
  certificatesHeld,
  conditionOf,
  inputOfDegraded,
  isCondition,
} from '../../api/conditions.ts'
import { trustItems } from '../../api/trust/items.ts'
import type { CertsFacts } from './facts.ts'
import type { Severity } from './validity.ts'
import { dayMs, moment, severityOf, refreshText, roundedSpan } from './validity.ts'
import type { SecretLine, TrustSection } from './report.ts'
import { rotationLine, rotationSeverity, rotationText } from './rotations.ts'

/** An event of the near future, in progress, or a failure. */
export interface UpcomingEvent {
  readonly severity: Severity
  readonly text: string
}

/** Later events are not shown. */
const horizonMs = 30 * dayMs

/** Pure: the most severe first. */
export function upcomingEvents(
  facts: CertsFacts,
  sections: readonly TrustSection[],
): UpcomingEvent[] {
  const all = [
    ...badInputs(facts),
    ...heldBack(facts),
    ...stuckRotations(facts),
    ...sections.flatMap((section) => delivery(section)),
    ...laggards(sections, facts.now),
    ...sections.flatMap((section) => expirations(section, facts.now)),
    ...sections.flatMap((section) => pendingDelivery(section)),
    ...sections.flatMap(({ signers, leafCertificates }) =>
      [...signers, ...leafCertificates].flatMap((line) => refreshes(line, facts.now)),
    ),
  ]
  return all.sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity))
}

const severities: readonly Severity[] = ['ended', 'urgent', 'soon', 'near', 'well']

function badInputs({ controllerConfig }: CertsFacts): UpcomingEvent[] {
  return (controllerConfig?.status?.conditions ?? []).flatMap(({ type, status, message }) => {
    const input = inputOfDegraded(type)
    if (input === undefined || status !== 'True') return []
    return [{ severity: 'urgent', text: `input ${input} cannot be used: ${message ?? ''}` }]
  })
}

function heldBack({ pools }: CertsFacts): UpcomingEvent[] {
  return pools.flatMap(({ metadata, status }) => {
    const held = conditionOf(status?.conditions, certificatesHeld)
    if (!isCondition(status?.conditions, certificatesHeld)) return []
    const severity: Severity = held?.reason === 'PoolPaused' ? 'soon' : 'urgent'
    return [{ severity, text: `pool ${metadata.name}: ${held?.message ?? ''}` }]
  })
}

function stuckRotations({ rotations = [], now }: CertsFacts): UpcomingEvent[] {
  return rotations
    .map(rotationLine)
    .filter(({ problem }) => problem !== undefined)
    .map((line) => ({ severity: rotationSeverity(line), text: rotationText(line, now) }))
}

function delivery({ name, nodes }: TrustSection): UpcomingEvent[] {
  if (!nodes || nodes.lagging.length === 0) return []
  const { holding, total } = nodes
  const text =
    holding === 0
      ? `${name} has reached none of ${total} nodes yet`
      : `rotation in progress: new ${name} on ${holding} of ${total} nodes`
  return [{ severity: 'soon', text }]
}

/** One line for each node, however many items it lacks. */
function laggards(sections: readonly TrustSection[], now: number): UpcomingEvent[] {
  const byNode = new Map<string, { text: string; items: string[]; severity: Severity }>()
  for (const { name, nodes } of sections) {
    for (const { node, since, why, state } of nodes?.lagging ?? []) {
      const known = byNode.get(node)
      if (known) {
        known.items.push(name)
        continue
      }
      const from = since === undefined ? '' : ` since ${moment(since, now)}`
      const severity = state === 'Failed' ? 'urgent' : 'soon'
      byNode.set(node, { text: `${node} lags${from}: ${why}`, items: [name], severity })
    }
  }
  return [...byNode.values()].map(({ text, items, severity }) => ({
    severity,
    text: `${text} (${items.join(', ')})`,
  }))
}

function expirations(
  { name, bundles, signers, leafCertificates }: TrustSection,
  now: number,
): UpcomingEvent[] {
  const trusted = (bundles.at(-1)?.certificates ?? []).flatMap(
    ({ commonName, notAfter, hasSuccessor }) => {
      if (notAfter - now > horizonMs) return []
      if (!hasSuccessor) return [expiration(`${commonName} in ${name}`, notAfter, now)]
      const text = `${commonName} expires in ${roundedSpan(notAfter - now)}; ${name} contains its successor`
      return notAfter > now ? [{ severity: 'well' as const, text }] : []
    },
  )
  const owned = [...signers, ...leafCertificates].flatMap(({ object, notAfter, refresh = now }) => {
    if (notAfter === undefined || notAfter - now > horizonMs) return []
    // It is replaced before; the refresh is shown instead.
    const isRefreshed = refresh > now && severityOf(notAfter, now) !== 'urgent'
    return isRefreshed ? [] : [expiration(object, notAfter, now)]
  })
  return [...trusted, ...owned]
}

function expiration(what: string, notAfter: number, now: number): UpcomingEvent {
  const left = notAfter - now
  const text =
    left > 0
      ? `${what} expires in ${roundedSpan(left)}`
      : `${what} expired ${roundedSpan(left)} ago`
  return { severity: severityOf(notAfter, now), text }
}

/** New CAs of the API server are delivered with a delay, which joins consecutive changes. */
function pendingDelivery({ name, bundles }: TrustSection): UpcomingEvent[] {
  if (name !== trustItems.apiServerCA || bundles.length < 2) return []
  const text = 'new CAs of the API server are delivered when they have not changed for a minute'
  return [{ severity: 'soon', text }]
}

function refreshes({ object, refresh }: SecretLine, now: number): UpcomingEvent[] {
  if (refresh === undefined || refresh - now > horizonMs) return []
  const severity: Severity = refresh < now ? 'soon' : 'well'
  return [{ severity, text: `${object}: ${refreshText(refresh, now)}` }]
}
