import type { NodeTrustItem, TrustedCertificate } from '../../api/kinds/node-trust.ts'
import type { NodeTrust } from '../../api/resources.ts'
import { trustItems } from '../../api/trust/items.ts'
import type { Node } from '@machinist/kube/kinds/core'

/** What nodes report about the CAs of one signer. */
export interface Question {
  readonly item: NodeTrustItem['name']
  readonly authority: { readonly fingerprint: string; readonly notBefore: number }
  readonly settleMs: number
  /** Fingerprints of all CAs that a node is to hold; undefined where that is not known. */
  readonly desired: ReadonlySet<string> | undefined
  /** Fingerprints of CAs that a node is not to hold any more: all that is known where `desired` is not. */
  readonly former: ReadonlySet<string>
}

/** What one node told. */
export interface Told {
  /** Whether it lists the CA. */
  readonly lists: boolean
  /** From when on it counts as trusting it. Infinity: it has yet to tell that it has loaded it. */
  readonly countsAt: number
  /** Whether it holds a CA that it is not to hold, or not any more. */
  readonly holdsOld: boolean
  readonly why: string | undefined
}

const asked: ReadonlySet<string> = new Set([trustItems.kubeletClientCA, trustItems.apiServerCA])
const mostShared = 1000

/** Keeps of NodeTrusts what rotations ask for; lists of certificates that are the same on many nodes are kept once. */
export function trustsInBrief(): (trust: NodeTrust) => NodeTrust {
  const shared = new Map<string, TrustedCertificate[]>()
  const share = (certificates: TrustedCertificate[]): TrustedCertificate[] => {
    const key = certificates.map(({ fingerprint }) => fingerprint).join()
    const known = shared.get(key)
    if (known) return known
    if (shared.size >= mostShared) shared.clear()
    shared.set(key, certificates)
    return certificates
  }
  const brief = ({
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
    status: { items: (status?.items ?? []).filter((item) => asked.has(item.name)).map(brief) },
  })
}

/** What a node's ledger says; `now` is when it was heard. */
export function toldOf(
  trust: Readonly<NodeTrust> | undefined,
  node: Readonly<Node>,
  question: Question,
  now: number,
): Told {
  if (trust && isOfFormer(trust, node)) {
    return { ...nothing, why: 'has told nothing yet: what its NodeTrust says is of a former Node' }
  }
  const item = trust?.status?.items?.find(({ name }) => name === question.item)
  if (!item) return nothing
  const { certificates = [], message } = item
  const { authority, desired, former } = question
  const lists = certificates.some(({ fingerprint }) => fingerprint === authority.fingerprint)
  const holdsOld = certificates.some(
    ({ fingerprint }) =>
      fingerprint !== authority.fingerprint &&
      (desired ? !desired.has(fingerprint) : former.has(fingerprint)),
  )
  return {
    lists,
    countsAt: lists ? countsAt(item, question, now) : Infinity,
    holdsOld,
    why: message,
  }
}

const nothing: Told = { lists: false, countsAt: Infinity, holdsOld: false, why: undefined }

/** Whether another machine told it, which had the same name. */
function isOfFormer({ metadata }: Readonly<NodeTrust>, node: Readonly<Node>): boolean {
  const owners = metadata.ownerReferences?.filter(({ kind }) => kind === 'Node') ?? []
  return owners.length > 0 && !owners.some(({ uid }) => uid === node.metadata.uid)
}

/** Kubelets load their client CAs by themselves after a while; of the API server's, the node tells when they have. */
function countsAt(item: NodeTrustItem, question: Question, now: number): number {
  if (item.name === trustItems.apiServerCA && item.state !== 'Current') return Infinity
  const written = Date.parse(item.writtenAt ?? '')
  // Older daemons do not tell when MachineConfigs have brought it, or what they tell is older: then, from when it is heard.
  const isTold = written >= question.authority.notBefore
  // A clock that is ahead must not hold everybody up.
  return countsFrom(isTold ? Math.min(written, now) : now, question)
}

/** When what came then is loaded. */
export function countsFrom(time: number, { item, settleMs }: Question): number {
  return item === trustItems.apiServerCA ? time : time + settleMs
}
