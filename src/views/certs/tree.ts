import type { CertsFacts } from './facts.ts'
import type { Life, Mood } from './life.ts'
import { moment, moodOf, refreshText, span } from './life.ts'
import type { Lag } from './holders.ts'
import type { BundleLine, CertificateLine, SecretLine, Section } from './report.ts'
import { rotationMood, rotationText } from './rotations.ts'
import type { Upcoming } from './upcoming.ts'

/** A line with others below it. How it looks is decided elsewhere. */
export interface Branch {
  /** What it is: signer, bundle, leaf, nodes. */
  readonly label?: string
  readonly text: string
  readonly life?: Life
  readonly notes?: readonly string[]
  readonly mood?: Mood
  readonly children?: readonly Branch[]
}

/** A page: a heading, and blocks that stand by themselves. */
export interface Page {
  readonly title: string
  readonly blocks: readonly Branch[]
}

/** What is about to happen, as far as it can be read at a glance. */
const mostNews = 12
const mostLaggards = 10

/** Pure: everything for people. */
export function clusterPage(
  facts: CertsFacts,
  sections: readonly Section[],
  news: readonly Upcoming[],
): Page {
  const { now, unread } = facts
  return {
    title: `Certificates at ${new Date(now).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    blocks: [
      newsBlock(news),
      ...sections.map((section) => sectionBlock(section, now)),
      ...(unread.length === 0 ? [] : [unreadBlock(unread)]),
    ],
  }
}

function newsBlock(news: readonly Upcoming[]): Branch {
  const shown = news.slice(0, mostNews)
  const more = news.length - shown.length
  return {
    text: 'What is about to happen',
    children: [
      ...shown.map(({ text, mood }) => ({ text, mood })),
      ...(more > 0 ? [{ text: `and ${more} more` }] : []),
      ...(news.length === 0 ? [{ text: 'nothing within 30 days', mood: 'well' as const }] : []),
    ],
  }
}

export function unreadBlock(unread: readonly string[]): Branch {
  return { text: 'Not read', children: unread.map((text) => ({ text, mood: 'soon' })) }
}

function sectionBlock(section: Section, now: number): Branch {
  const { name, about, signers, bundles, leafs, nodes } = section
  const last = bundles.at(-1)
  return {
    text: `${name}: ${about}`,
    children: [
      ...signers.map((each) => secretBranch('signer', each, now)),
      ...bundles.map((each) => bundleBranch(each, each === last, now)),
      ...leafs.map((each) => secretBranch('leaf', each, now)),
      ...(nodes
        ? [
            {
              label: 'nodes',
              text: `${nodes.holding} of ${nodes.total} have it`,
              mood: nodes.lagging.length === 0 ? ('well' as const) : ('soon' as const),
              children: lagBranches(nodes.lagging, now),
            },
          ]
        : []),
    ],
  }
}

function secretBranch(label: string, line: SecretLine, now: number): Branch {
  const { object, notBefore, notAfter, refresh, note, rotation } = line
  const notes = [
    ...(refresh === undefined ? [] : [refreshText(refresh, now)]),
    ...(note === undefined ? [] : [note]),
    ...(notAfter === undefined ? ['does not say when it ends'] : []),
  ]
  const children = rotation && [{ text: rotationText(rotation, now), mood: rotationMood(rotation) }]
  const below = children && { children }
  if (notAfter === undefined) return { label, text: object, notes, mood: 'soon', ...below }
  const life = {
    notAfter,
    ...(notBefore !== undefined && { notBefore }),
    ...(refresh !== undefined && { refresh }),
  }
  return { label, text: object, life, notes, mood: moodOf(notAfter, now), ...below }
}

/** The certificates are those that nodes are given; what is before them is only counted. */
function bundleBranch(
  { objects, broken, certificates }: BundleLine,
  isLast: boolean,
  now: number,
): Branch {
  const count = certificates.length === 1 ? '1 certificate' : `${certificates.length} certificates`
  const unreadable = broken === 0 ? [] : [`${broken} that cannot be read`]
  return {
    label: 'bundle',
    text: objects.join(' → '),
    notes: [count, ...unreadable],
    ...(broken > 0 && { mood: 'soon' as const }),
    children: isLast ? certificates.map((each) => certificateBranch(each, now)) : [],
  }
}

function certificateBranch(line: CertificateLine, now: number): Branch {
  const { commonName, notBefore, notAfter, isEarlier } = line
  return {
    text: withoutNamespace(commonName),
    life: { notBefore, notAfter },
    // Its end is the course of things.
    mood: isEarlier ? 'well' : moodOf(notAfter, now),
    ...(isEarlier && { notes: ['earlier one'] }),
  }
}

/** Which namespace a rotated signer is of is told by the signer itself. */
export const withoutNamespace = (commonName: string): string =>
  commonName.replace(/^[a-z0-9-]+_(?=.+@\d+$)/, '')

function lagBranches(lagging: readonly Lag[], now: number): Branch[] {
  const shown = lagging.slice(0, mostLaggards).map(({ node, since, why, state }): Branch => {
    const from = since === undefined ? '' : ` since ${moment(since, now)}`
    return { text: `${node} lags${from}: ${why}`, mood: state === 'Failed' ? 'urgent' : 'soon' }
  })
  const more = lagging.length - shown.length
  return more > 0 ? [...shown, { text: `and ${more} more` }] : shown
}

/** `12 d left`, `ended 3 d ago` */
export function lifeText({ notAfter }: Life, now: number): string {
  const left = notAfter - now
  return left > 0 ? `${span(left)} left` : `ended ${span(left)} ago`
}
