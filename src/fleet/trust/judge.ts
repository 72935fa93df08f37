import type {
  NodeTrustItem,
  NodeTrustStatus,
  TrustedCertificate,
} from '../../api/kinds/node-trust.ts'
import { hostsDigest } from '../../api/trust/digests.ts'
import type { TrustItem } from '../../api/trust/items.ts'
import { registryItem, trustItems } from '../../api/trust/items.ts'
import { commonNameIn, lastOfFamilies } from '../../api/trust/signer-family.ts'

/** What a node has of an item, as the ledger sees it: the node's own word counts only for what is wanted now. */
export const holdings = [
  'Current',
  'Rendered',
  'NotGiven',
  'Lagging',
  'Failed',
  /** The node has told nothing about it. */
  'Unknown',
] as const

export type Holding = (typeof holdings)[number]

/** What a node told about an item, as far as it is needed here. */
export interface Told {
  readonly state: NodeTrustItem['state']
  readonly wanted?: string
  readonly actual?: string
  /** When its first certificate ends, in milliseconds since the epoch. */
  readonly notAfter?: number
  /** When the first of those ends that no other one replaces. */
  readonly runsOut?: number
  readonly why?: string
}

export type TrustTold = ReadonlyMap<TrustItem, Told>

/** Does the node lack something that it should have? */
export function isBehind(holding: Holding): boolean {
  return holding === 'Lagging' || holding === 'Failed' || holding === 'Unknown'
}

export function judge(wanted: string | undefined, told: Told | undefined): Holding {
  if (wanted === undefined) return 'NotGiven'
  if (!told) return 'Unknown'
  if (told.state === 'Failed' || told.state === 'Lagging') return told.state
  if (told.actual === wanted) return told.state === 'Rendered' ? 'Rendered' : 'Current'
  // A file may hold more than what the cluster gives, and then has a digest of its own.
  return told.state === 'Current' && told.wanted === wanted ? 'Current' : 'Lagging'
}

/** The registries' items of a ledger are one here, as they are in the annotation. */
export function toldBy({ items = [] }: NodeTrustStatus = {}): TrustTold {
  const told = new Map<TrustItem, Told>()
  for (const name of Object.values(trustItems)) {
    const item = items.find((each) => each.name === name)
    if (item) told.set(name, toldOf(item))
  }
  const registries = items.filter(({ name }) => name.startsWith(registryPrefix))
  if (registries.length > 0) told.set(trustItems.registryCAs, registriesTold(registries))
  return told
}

const registryPrefix = registryItem('')

function toldOf(item: NodeTrustItem): Told {
  const { state, wantedDigest: wanted, actualDigest: actual, earliestNotAfter, message } = item
  const notAfter = earliestNotAfter ? Date.parse(earliestNotAfter) : Number.NaN
  const runsOut = firstToMiss(item)?.notAfter
  return {
    state,
    ...(wanted && { wanted }),
    ...(actual && { actual }),
    ...(Number.isFinite(notAfter) && { notAfter }),
    ...(runsOut && { runsOut: Date.parse(runsOut) }),
    ...(message && { why: message }),
  }
}

/** The certificate that will be missed first: no later one of its signer is there. */
export function firstToMiss({ certificates = [] }: NodeTrustItem): TrustedCertificate | undefined {
  const ends = certificates.flatMap((each) => {
    const notAfter = Date.parse(each.notAfter)
    const commonName = commonNameIn(each.subject)
    return Number.isFinite(notAfter) ? [{ commonName, notAfter, each }] : []
  })
  const [first] = lastOfFamilies(ends).sort((a, b) => a.notAfter - b.notAfter)
  return first?.each
}

function registriesTold(items: readonly NodeTrustItem[]): Told {
  const given = items.filter(({ state }) => state !== 'NotGiven')
  const [bad] = given.toSorted((a, b) => badness(b) - badness(a))
  if (!bad) return { state: 'NotGiven' }
  const digest = (which: 'wantedDigest' | 'actualDigest'): string =>
    hostsDigest(given.map((item) => [item.name.slice(registryPrefix.length), item[which] ?? '']))
  const ends = given.flatMap((item) => toldOf(item).notAfter ?? [])
  const missed = given.flatMap((item) => toldOf(item).runsOut ?? [])
  const { state, why } = toldOf(bad)
  return {
    state,
    wanted: digest('wantedDigest'),
    actual: digest('actualDigest'),
    ...(ends.length > 0 && { notAfter: Math.min(...ends) }),
    ...(missed.length > 0 && { runsOut: Math.min(...missed) }),
    ...(why && { why: `${bad.name}: ${why}` }),
  }
}

const badness = ({ state }: NodeTrustItem): number =>
  ['Rendered', 'Current', 'Lagging', 'Failed'].indexOf(state)
