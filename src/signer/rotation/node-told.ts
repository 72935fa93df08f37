import type { NodeTrustItem, TrustedCertificate } from '../../api/kinds/node-trust.ts'
import type { NodeTrust } from '../../api/resources.ts'
import { nodeLabels } from '../../api/labels.ts'
import { trustItems } from '../../api/trust/items.ts'
import { commonNameIn, signerFamily } from '../../api/trust/signer-family.ts'
import type { Node } from '../../kube/kinds/core.ts'

/** What nodes tell about the CAs of one signer. */
export interface Question {
  readonly item: NodeTrustItem['name']
  readonly family: string
  readonly authority: { readonly fingerprint: string; readonly notBefore: number }
  readonly settleMs: number
  /** CAs that are to stay, because others gave them. */
  readonly others: ReadonlySet<string>
}

/** What one node told. */
export interface Told {
  /** Whether it lists the CA. */
  readonly lists: boolean
  /** From when on it counts as trusting it. Infinity: it has yet to tell that it has loaded it. */
  readonly countsAt: number
  /** Whether it holds a former CA of the signer. */
  readonly holdsOld: boolean
  readonly why: string | undefined
}

/** Only as much of a Node as is needed to know whether it is waited for. */
export function nodeInBrief(node: Node): Node {
  const { metadata, status } = node
  const os = metadata.labels?.[nodeLabels.os]
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  const { name, uid, resourceVersion, creationTimestamp } = metadata
  return {
    metadata: {
      name,
      ...(uid && { uid }),
      ...(resourceVersion && { resourceVersion }),
      ...(creationTimestamp && { creationTimestamp }),
      ...(os && { labels: { [nodeLabels.os]: os } }),
    },
    status: {
      conditions: ready
        ? [
            {
              type: 'Ready',
              status: ready.status,
              ...(ready.lastTransitionTime && { lastTransitionTime: ready.lastTransitionTime }),
            },
          ]
        : [],
    },
  }
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
  return ({ metadata: { name, uid, resourceVersion }, status }) => ({
    metadata: { name, ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) },
    status: { items: (status?.items ?? []).filter((item) => asked.has(item.name)).map(brief) },
  })
}

/** What a node's ledger says; `now` is when it was heard. */
export function toldOf(
  trust: Readonly<NodeTrust> | undefined,
  question: Question,
  now: number,
): Told {
  const item = trust?.status?.items?.find(({ name }) => name === question.item)
  if (!item) return { lists: false, countsAt: Infinity, holdsOld: false, why: undefined }
  const { certificates = [], message } = item
  const { authority, family, others } = question
  const lists = certificates.some(({ fingerprint }) => fingerprint === authority.fingerprint)
  const holdsOld = certificates.some(
    ({ fingerprint, subject }) =>
      fingerprint !== authority.fingerprint &&
      !others.has(fingerprint) &&
      signerFamily(commonNameIn(subject)) === family,
  )
  return {
    lists,
    countsAt: lists ? countsAt(item, question, now) : Infinity,
    holdsOld,
    why: message,
  }
}

/** Kubelets load their client CAs by themselves after a while; of the API server's, the node tells when they have. */
function countsAt(item: NodeTrustItem, { authority, settleMs }: Question, now: number): number {
  if (item.name === trustItems.apiServerCA) return item.state === 'Current' ? now : Infinity
  const written = Date.parse(item.writtenAt ?? '')
  // Where MachineConfigs bring it, nobody tells when, or when something else was written: it counts from when it is heard.
  const isTold = written >= authority.notBefore
  // A clock that is ahead must not hold everybody up.
  return (isTold ? Math.min(written, now) : now) + settleMs
}
