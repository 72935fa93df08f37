import type {
  NodeTrustItem,
  NodeTrustStatus,
  TrustedCertificate,
} from '../../api/kinds/node-trust.ts'
import { hostsDigest } from '../../api/trust/digests.ts'
import type { TrustItem } from '../../api/trust/items.ts'
import { registryItem, trustItems } from '../../api/trust/items.ts'
import { commonNameIn, lastOfFamilies } from '../../api/trust/signer-family.ts'

/** Whether a node has the desired content of a trust item. The node's own report counts only for the current desired digest. */
export const deliveryStates = [
  'Current',
  'Rendered',
  'NotGiven',
  'Lagging',
  'Failed',
  /** The node has not reported the item. */
  'Unknown',
] as const

export type DeliveryState = (typeof deliveryStates)[number]

/** A node's report about one trust item. */
export interface ItemReport {
  readonly state: NodeTrustItem['state']
  readonly desired?: string
  readonly actual?: string
  /** When its first certificate expires, in milliseconds since the epoch. */
  readonly notAfter?: number
  /** When the first certificate without a replacement expires. */
  readonly runsOut?: number
  readonly why?: string
}

export type TrustReport = ReadonlyMap<TrustItem, ItemReport>

/** Whether the node lacks the desired content. */
export function isBehind(state: DeliveryState): boolean {
  return state === 'Lagging' || state === 'Failed' || state === 'Unknown'
}

export function deliveryStateOf(
  desired: string | undefined,
  report: ItemReport | undefined,
): DeliveryState {
  if (desired === undefined) return 'NotGiven'
  if (!report) return 'Unknown'
  if (report.state === 'Failed' || report.state === 'Lagging') return report.state
  if (report.actual === desired) return report.state === 'Rendered' ? 'Rendered' : 'Current'
  // A file may contain more than the desired content, and then has another digest.
  return report.state === 'Current' && report.desired === desired ? 'Current' : 'Lagging'
}

/** All registry CAs are one item here, as in the annotation. */
export function trustReportOf({ items = [] }: NodeTrustStatus = {}): TrustReport {
  const report = new Map<TrustItem, ItemReport>()
  for (const name of Object.values(trustItems)) {
    const item = items.find((each) => each.name === name)
    if (item) report.set(name, itemReportOf(item))
  }
  const registries = items.filter(({ name }) => name.startsWith(registryPrefix))
  if (registries.length > 0) report.set(trustItems.registryCAs, registriesReport(registries))
  return report
}

const registryPrefix = registryItem('')

function itemReportOf(item: NodeTrustItem): ItemReport {
  const { state, wantedDigest: desired, actualDigest: actual, earliestNotAfter, message } = item
  const notAfter = earliestNotAfter ? Date.parse(earliestNotAfter) : Number.NaN
  const runsOut = firstUnreplaced(item)?.notAfter
  return {
    state,
    ...(desired && { desired }),
    ...(actual && { actual }),
    ...(Number.isFinite(notAfter) && { notAfter }),
    ...(runsOut && { runsOut: Date.parse(runsOut) }),
    ...(message && { why: message }),
  }
}

/** The certificate that expires first among those without a later one of the same signer. */
export function firstUnreplaced({
  certificates = [],
}: NodeTrustItem): TrustedCertificate | undefined {
  const dated = certificates.flatMap((each) => {
    const notAfter = Date.parse(each.notAfter)
    const commonName = commonNameIn(each.subject)
    return Number.isFinite(notAfter) ? [{ commonName, notAfter, each }] : []
  })
  const [first] = lastOfFamilies(dated).sort((a, b) => a.notAfter - b.notAfter)
  return first?.each
}

function registriesReport(items: readonly NodeTrustItem[]): ItemReport {
  const given = items.filter(({ state }) => state !== 'NotGiven')
  const [worst] = given.toSorted((a, b) => severity(b) - severity(a))
  if (!worst) return { state: 'NotGiven' }
  const digest = (which: 'wantedDigest' | 'actualDigest'): string =>
    hostsDigest(given.map((item) => [item.name.slice(registryPrefix.length), item[which] ?? '']))
  const ends = given.flatMap((item) => itemReportOf(item).notAfter ?? [])
  const unreplaced = given.flatMap((item) => itemReportOf(item).runsOut ?? [])
  const { state, why } = itemReportOf(worst)
  return {
    state,
    desired: digest('wantedDigest'),
    actual: digest('actualDigest'),
    ...(ends.length > 0 && { notAfter: Math.min(...ends) }),
    ...(unreplaced.length > 0 && { runsOut: Math.min(...unreplaced) }),
    ...(why && { why: `${worst.name}: ${why}` }),
  }
}

const severity = ({ state }: NodeTrustItem): number =>
  ['Rendered', 'Current', 'Lagging', 'Failed'].indexOf(state)
