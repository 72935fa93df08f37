import type { CertsFacts } from './facts.ts'
import type { Validity, Severity } from './validity.ts'
import { moment, severityOf, refreshText, roundedSpan } from './validity.ts'
import type { LaggingNode } from './holders.ts'
import type { BundleLine, CertificateLine, SecretLine, TrustSection } from './report.ts'
import { rotationSeverity, rotationText } from './rotations.ts'
import type { UpcomingEvent } from './upcoming.ts'

/** A line with child lines, independent of its presentation. */
export interface CertsBranch {
  /** Its kind: signer, bundle, leaf, nodes. */
  readonly label?: string
  readonly text: string
  readonly validity?: Validity
  readonly notes?: readonly string[]
  readonly severity?: Severity
  readonly children?: readonly CertsBranch[]
}

/** A page: a title and independent blocks. */
export interface CertsPage {
  readonly title: string
  readonly blocks: readonly CertsBranch[]
}

const maxEvents = 12
const maxLaggards = 10

/** Pure: the page of a cluster. */
export function clusterPage(
  facts: CertsFacts,
  sections: readonly TrustSection[],
  events: readonly UpcomingEvent[],
): CertsPage {
  const { now, unread } = facts
  return {
    title: `Certificates at ${new Date(now).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    blocks: [
      upcomingBlock(events),
      ...sections.map((section) => sectionBlock(section, now)),
      ...(unread.length === 0 ? [] : [unreadBlock(unread)]),
    ],
  }
}

function upcomingBlock(events: readonly UpcomingEvent[]): CertsBranch {
  const shown = events.slice(0, maxEvents)
  const more = events.length - shown.length
  return {
    text: 'Upcoming',
    children: [
      ...shown.map(({ text, severity }) => ({ text, severity })),
      ...(more > 0 ? [{ text: `and ${more} more` }] : []),
      ...(events.length === 0
        ? [{ text: 'nothing within 30 days', severity: 'well' as const }]
        : []),
    ],
  }
}

export function unreadBlock(unread: readonly string[]): CertsBranch {
  return { text: 'Not read', children: unread.map((text) => ({ text, severity: 'soon' })) }
}

function sectionBlock(section: TrustSection, now: number): CertsBranch {
  const { name, about, signers, bundles, leafCertificates, nodes } = section
  const last = bundles.at(-1)
  return {
    text: `${name}: ${about}`,
    children: [
      ...signers.map((each) => secretBranch('signer', each, now)),
      ...bundles.map((each) => bundleBranch(each, each === last, now)),
      ...leafCertificates.map((each) => secretBranch('leaf', each, now)),
      ...(nodes
        ? [
            {
              label: 'nodes',
              text: `${nodes.holding} of ${nodes.total} have it`,
              severity: nodes.lagging.length === 0 ? ('well' as const) : ('soon' as const),
              children: lagBranches(nodes.lagging, now),
            },
          ]
        : []),
    ],
  }
}

function secretBranch(label: string, line: SecretLine, now: number): CertsBranch {
  const { object, notBefore, notAfter, refresh, note, rotation } = line
  const notes = [
    ...(refresh === undefined ? [] : [refreshText(refresh, now)]),
    ...(note === undefined ? [] : [note]),
    ...(notAfter === undefined ? ['expiry unknown'] : []),
  ]
  const children = rotation && [
    { text: rotationText(rotation, now), severity: rotationSeverity(rotation) },
  ]
  const below = children && { children }
  if (notAfter === undefined) return { label, text: object, notes, severity: 'soon', ...below }
  const validity = {
    notAfter,
    ...(notBefore !== undefined && { notBefore }),
    ...(refresh !== undefined && { refresh }),
  }
  return { label, text: object, validity, notes, severity: severityOf(notAfter, now), ...below }
}

/** Lists the certificates of the last bundle, which nodes receive; those of earlier bundles are only counted. */
function bundleBranch(
  { objects, broken, certificates }: BundleLine,
  isLast: boolean,
  now: number,
): CertsBranch {
  const count = certificates.length === 1 ? '1 certificate' : `${certificates.length} certificates`
  const unreadable = broken === 0 ? [] : [`${broken} unreadable`]
  return {
    label: 'bundle',
    text: objects.join(' → '),
    notes: [count, ...unreadable],
    ...(broken > 0 && { severity: 'soon' as const }),
    children: isLast ? certificates.map((each) => certificateBranch(each, now)) : [],
  }
}

function certificateBranch(line: CertificateLine, now: number): CertsBranch {
  const { commonName, notBefore, notAfter, hasSuccessor } = line
  return {
    text: withoutNamespace(commonName),
    validity: { notBefore, notAfter },
    // A CA with a successor may expire.
    severity: hasSuccessor ? 'well' : severityOf(notAfter, now),
    ...(hasSuccessor && { notes: ['superseded'] }),
  }
}

/** Drops the namespace from the common name of a rotated signer; the Secret of the signer shows it. */
export const withoutNamespace = (commonName: string): string =>
  commonName.replace(/^[a-z0-9-]+_(?=.+@\d+$)/, '')

function lagBranches(lagging: readonly LaggingNode[], now: number): CertsBranch[] {
  const shown = lagging.slice(0, maxLaggards).map(({ node, since, why, state }): CertsBranch => {
    const from = since === undefined ? '' : ` since ${moment(since, now)}`
    return { text: `${node} lags${from}: ${why}`, severity: state === 'Failed' ? 'urgent' : 'soon' }
  })
  const more = lagging.length - shown.length
  return more > 0 ? [...shown, { text: `and ${more} more` }] : shown
}

/** `12 d left`, `expired 3 d ago` */
export function validityText({ notAfter }: Validity, now: number): string {
  const left = notAfter - now
  return left > 0 ? `${roundedSpan(left)} left` : `expired ${roundedSpan(left)} ago`
}
