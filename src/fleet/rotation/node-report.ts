import type { Node } from '@machinist/kube/kinds/core'
import type { NodeTrustItem, TrustedCertificate } from '../../api/kinds/node-trust.ts'
import type { NodeTrust } from '../../api/kinds/resources.ts'
import { trustItems } from '../../api/trust/items.ts'

/** What to look for in the reports of nodes: the CA of one signer. */
export interface TrustQuery {
  readonly item: NodeTrustItem['name']
  readonly authority: { readonly fingerprint: string; readonly notBefore: number }
  readonly settleMs: number
  /** Fingerprints of all CAs that nodes are to trust; undefined if that is not known. */
  readonly desired: ReadonlySet<string> | undefined
  /** Fingerprints of CAs that nodes are no longer to trust; used if `desired` is undefined. */
  readonly former: ReadonlySet<string>
}

/** The report of one node about a CA. */
export interface NodeCaReport {
  /** Whether the node lists the CA. */
  readonly lists: boolean
  /** From when on the node counts as trusting the CA. Infinity while it has not reported that it loaded it. */
  readonly countsAt: number
  /** Whether the node still trusts a CA that it is not to trust. */
  readonly holdsOld: boolean
  readonly why: string | undefined
}

const queriedItems: ReadonlySet<string> = new Set([
  trustItems.kubeletClientCA,
  trustItems.apiServerCA,
])
const maxShared = 1000

/** Drops the fields of NodeTrusts that rotations do not read, and shares equal certificate lists between nodes. */
export function trimNodeTrusts(): (trust: NodeTrust) => NodeTrust {
  const shared = new Map<string, TrustedCertificate[]>()
  const share = (certificates: TrustedCertificate[]): TrustedCertificate[] => {
    const key = certificates.map(({ fingerprint, loaded }) => fingerprint + (loaded ?? '')).join()
    const existing = shared.get(key)
    if (existing) return existing
    if (shared.size >= maxShared) shared.clear()
    shared.set(key, certificates)
    return certificates
  }
  const trimItem = ({
    name,
    state,
    message,
    certificates = [],
    writtenAt,
  }: NodeTrustItem): NodeTrustItem => ({
    name,
    state,
    ...(message && { message }),
    ...(writtenAt && { writtenAt }),
    certificates: share(certificates),
  })
  return ({ metadata: { name, uid, resourceVersion, ownerReferences }, status }) => ({
    metadata: {
      name,
      ...(uid && { uid }),
      ...(resourceVersion && { resourceVersion }),
      ...(ownerReferences && { ownerReferences }),
    },
    status: {
      items: (status?.items ?? []).filter((item) => queriedItems.has(item.name)).map(trimItem),
    },
  })
}

/** The report in a node's NodeTrust; `now` is when it was received. */
export function nodeCaReportOf(
  trust: Readonly<NodeTrust> | undefined,
  node: Readonly<Node>,
  query: TrustQuery,
  now: number,
): NodeCaReport {
  if (trust && isFromFormerNode(trust, node)) {
    return {
      ...noReport,
      why: 'has not reported yet: its NodeTrust is from a former Node of that name',
    }
  }
  const item = trust?.status?.items?.find(({ name }) => name === query.item)
  if (!item) return noReport
  const { certificates = [], message } = item
  const { authority, desired, former } = query
  // A CA that the kubelet must restart for does not count, even if an earlier report listed it: after a restore of etcd
  // that report may be from another kubelet process.
  const lists = certificates.some(
    ({ fingerprint, loaded }) => fingerprint === authority.fingerprint && loaded !== false,
  )
  const holdsOld = certificates.some(
    ({ fingerprint }) =>
      fingerprint !== authority.fingerprint &&
      (desired ? !desired.has(fingerprint) : former.has(fingerprint)),
  )
  return {
    lists,
    countsAt: lists ? countsAt(item, query, now) : Infinity,
    holdsOld,
    why: message,
  }
}

const noReport: NodeCaReport = { lists: false, countsAt: Infinity, holdsOld: false, why: undefined }

/** Whether the NodeTrust is from a former Node with the same name. */
function isFromFormerNode({ metadata }: Readonly<NodeTrust>, node: Readonly<Node>): boolean {
  const owners = metadata.ownerReferences?.filter(({ kind }) => kind === 'Node') ?? []
  return owners.length > 0 && !owners.some(({ uid }) => uid === node.metadata.uid)
}

/** Kubelets load their client CA file by themselves after a while; nodes report when the API server CA is loaded. */
function countsAt(item: NodeTrustItem, query: TrustQuery, now: number): number {
  if (item.name === trustItems.apiServerCA && item.state !== 'Current') return Infinity
  const written = Date.parse(item.writtenAt ?? '')
  // Without a valid writtenAt (older daemons, or files from MachineConfigs) the time of receipt counts.
  const isReported = written >= query.authority.notBefore
  // A node clock that is ahead must not delay the rotation.
  return trustedFrom(isReported ? Math.min(written, now) : now, query)
}

/** When a CA that was written at `time` is loaded. */
export function trustedFrom(time: number, { item, settleMs }: TrustQuery): number {
  return item === trustItems.apiServerCA ? time : time + settleMs
}
