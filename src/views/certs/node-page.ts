import type { NodeTrustItem, TrustedCertificate } from '../../api/kinds/node-trust.ts'
import { commonNameIn, lastOfFamilies } from '../../api/trust/signer-family.ts'
import type { CertsFacts } from './facts.ts'
import { isOurs, notReady } from './holders.ts'
import type { Mood } from './life.ts'
import { day, moment, moodOf } from './life.ts'
import type { Section } from './report.ts'
import type { Branch, Page } from './tree.ts'
import { unreadBlock } from './tree.ts'

/** What one node has, as it told it, and what it lacks of what the cluster wants now. */
export interface NodeView {
  readonly name: string
  readonly isReady: boolean | undefined
  readonly delivery?: string
  /** Undefined: it has told nothing. */
  readonly items?: readonly NodeTrustItem[]
  readonly lacks: readonly { readonly item: string; readonly why: string }[]
}

/** Undefined if nobody knows such a node. */
export function nodeView(
  facts: CertsFacts,
  sections: readonly Section[],
  name: string,
): NodeView | undefined {
  const node = facts.nodes?.find(({ metadata }) => metadata.name === name)
  const trust = facts.nodeTrusts?.find(({ metadata }) => metadata.name === name)
  if (!node && !trust) return undefined
  const { delivery, items } = trust?.status ?? {}
  return {
    name,
    isReady: node && notReady(node) === undefined,
    ...(delivery && { delivery }),
    ...(items && { items }),
    lacks: sections.flatMap(({ name: item, nodes }) =>
      (nodes?.lagging ?? []).filter((lag) => lag.node === name).map(({ why }) => ({ item, why })),
    ),
  }
}

/** Names of nodes that can be asked about. */
export function nodeNames({ nodes, nodeTrusts }: CertsFacts): string[] {
  const all = [...(nodes ?? []).filter(isOurs), ...(nodeTrusts ?? [])]
  return [...new Set(all.map(({ metadata }) => metadata.name))].sort()
}

export function nodePage(view: NodeView, { now, unread }: CertsFacts): Page {
  const { name, isReady, delivery, items, lacks } = view
  const ready = isReady === undefined ? [] : [isReady ? 'Ready' : 'NotReady']
  const facts = [...ready, ...(delivery ? [`${delivery} delivery`] : [])].join(', ')
  const missing = lacks.map(({ item, why }): Branch => ({ text: `${item}: ${why}`, mood: 'soon' }))
  return {
    title: `Certificates of ${name}${facts && ` (${facts})`}`,
    blocks: [
      {
        text: 'What it lacks',
        children: missing.length > 0 ? missing : [{ text: 'nothing', mood: 'well' }],
      },
      ...(items ?? []).map((item) => itemBlock(item, now)),
      ...(items ? [] : [{ text: 'It has told nothing about what it trusts' }]),
      ...(unread.length === 0 ? [] : [unreadBlock(unread)]),
    ],
  }
}

function itemBlock(item: NodeTrustItem, now: number): Branch {
  const { name, state, message, paths = [], certificates = [], writtenAt, loadedAt } = item
  const times = [
    ...(writtenAt ? [`written ${moment(Date.parse(writtenAt), now)}`] : []),
    ...(loadedAt ? [`loaded ${moment(Date.parse(loadedAt), now)}`] : []),
  ]
  const end = item.earliestNotAfter ? [`first end ${day(Date.parse(item.earliestNotAfter))}`] : []
  const mood: Mood = state === 'Failed' ? 'urgent' : state === 'Lagging' ? 'soon' : 'well'
  return {
    text: name,
    children: [
      { label: 'state', text: message ? `${state}: ${message}` : state, mood },
      ...(state === 'NotGiven' ? [] : paths).map((path): Branch => ({
        label: 'file',
        text: path,
        notes: [...times, ...end],
      })),
      ...(item.source ? [{ label: 'from', text: sourceText(item.source) }] : []),
      ...certificateBranches(certificates, now),
    ],
  }
}

function certificateBranches(certificates: readonly TrustedCertificate[], now: number): Branch[] {
  const read = certificates
    .map(({ subject, notAfter }) => ({
      commonName: commonNameIn(subject),
      notAfter: Date.parse(notAfter),
    }))
    .sort((a, b) => a.notAfter - b.notAfter)
  const last = new Set(lastOfFamilies(read))
  return read.map((each): Branch => {
    const { commonName: text, notAfter } = each
    const life = { notAfter }
    if (!last.has(each)) return { text, life, notes: ['earlier one'] }
    return { text, life, mood: moodOf(notAfter, now) }
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
