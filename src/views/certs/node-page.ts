import type { NodeTrustItem, TrustedCertificate } from '../../api/kinds/node-trust.ts'
import { commonNameIn, lastOfFamilies } from '../../api/trust/signer-family.ts'
import type { CertsFacts } from './facts.ts'
import { isManagedNode, notReadyText } from './holders.ts'
import type { Severity } from './validity.ts'
import { day, moment, severityOf } from './validity.ts'
import type { TrustSection } from './report.ts'
import type { CertsBranch, CertsPage } from './tree.ts'
import { unreadBlock } from './tree.ts'

/** The trust items that a node reports, and the items that it lacks. */
export interface NodeView {
  readonly name: string
  readonly isReady: boolean | undefined
  readonly delivery?: string
  /** Undefined if the node has not reported. */
  readonly items?: readonly NodeTrustItem[]
  readonly lacks: readonly { readonly item: string; readonly why: string }[]
}

/** Undefined if neither a Node nor a NodeTrust has this name. */
export function nodeView(
  facts: CertsFacts,
  sections: readonly TrustSection[],
  name: string,
): NodeView | undefined {
  const node = facts.nodes?.find(({ metadata }) => metadata.name === name)
  const trust = facts.nodeTrusts?.find(({ metadata }) => metadata.name === name)
  if (!node && !trust) return undefined
  const { delivery, items } = trust?.status ?? {}
  return {
    name,
    isReady: node && notReadyText(node) === undefined,
    ...(delivery && { delivery }),
    ...(items && { items }),
    lacks: sections.flatMap(({ name: item, nodes }) =>
      (nodes?.lagging ?? []).filter((lag) => lag.node === name).map(({ why }) => ({ item, why })),
    ),
  }
}

/** Names of all known nodes. */
export function nodeNames({ nodes, nodeTrusts }: CertsFacts): string[] {
  const all = [...(nodes ?? []).filter(isManagedNode), ...(nodeTrusts ?? [])]
  return [...new Set(all.map(({ metadata }) => metadata.name))].sort()
}

export function nodePage(view: NodeView, { now, unread }: CertsFacts): CertsPage {
  const { name, isReady, delivery, items, lacks } = view
  const ready = isReady === undefined ? [] : [isReady ? 'Ready' : 'NotReady']
  const facts = [...ready, ...(delivery ? [`${delivery} delivery`] : [])].join(', ')
  const missing = lacks.map(({ item, why }): CertsBranch => ({
    text: `${item}: ${why}`,
    severity: 'soon',
  }))
  return {
    title: `Certificates of ${name}${facts && ` (${facts})`}`,
    blocks: [
      {
        text: 'Missing',
        children: missing.length > 0 ? missing : [{ text: 'nothing', severity: 'well' }],
      },
      ...(items ?? []).map((item) => itemBlock(item, now)),
      ...(items ? [] : [{ text: 'This node has not reported which CAs it trusts' }]),
      ...(unread.length === 0 ? [] : [unreadBlock(unread)]),
    ],
  }
}

function itemBlock(item: NodeTrustItem, now: number): CertsBranch {
  const { name, state, message, paths = [], certificates = [], writtenAt, loadedAt } = item
  const times = [
    ...(writtenAt ? [`written ${moment(Date.parse(writtenAt), now)}`] : []),
    ...(loadedAt ? [`loaded ${moment(Date.parse(loadedAt), now)}`] : []),
  ]
  const end = item.earliestNotAfter
    ? [`first expiry ${day(Date.parse(item.earliestNotAfter))}`]
    : []
  const severity: Severity = state === 'Failed' ? 'urgent' : state === 'Lagging' ? 'soon' : 'well'
  return {
    text: name,
    children: [
      { label: 'state', text: message ? `${state}: ${message}` : state, severity },
      ...(state === 'NotGiven' ? [] : paths).map((path): CertsBranch => ({
        label: 'file',
        text: path,
        notes: [...times, ...end],
      })),
      ...(item.source ? [{ label: 'from', text: sourceText(item.source) }] : []),
      ...certificateBranches(certificates, now),
    ],
  }
}

function certificateBranches(
  certificates: readonly TrustedCertificate[],
  now: number,
): CertsBranch[] {
  const read = certificates
    .map(({ subject, notAfter }) => ({
      commonName: commonNameIn(subject),
      notAfter: Date.parse(notAfter),
    }))
    .sort((a, b) => a.notAfter - b.notAfter)
  const last = new Set(lastOfFamilies(read))
  return read.map((each): CertsBranch => {
    const { commonName: text, notAfter } = each
    const validity = { notAfter }
    if (!last.has(each)) return { text, validity, notes: ['superseded'] }
    return { text, validity, severity: severityOf(notAfter, now) }
  })
}

function sourceText({
  kind,
  namespace,
  name,
  fieldPath,
}: NonNullable<NodeTrustItem['source']>): string {
  const object = [namespace, name].filter(Boolean).join('/')
  return [kind, object, fieldPath].filter(Boolean).join(' ')
}
