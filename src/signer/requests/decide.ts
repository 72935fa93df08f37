import { quoted } from '@machinist/core/quoted'
import type { Node } from '@machinist/kube/kinds/core'
import type { Claim, ClaimKind } from './claim.ts'
import { aheadMs, oldestMs, spareRequests } from './limits.ts'
import { isAlive } from './node-facts.ts'
import { namesOf } from './node-names.ts'
import type { Refusal, Rule } from './rules.ts'

/** All that is known about one request that waits. */
export interface Facts {
  readonly reading: Claim | Refusal
  readonly createdAt: number
  readonly now: number
  /** How many requests wait, and how many Nodes there are. */
  readonly waiting: number
  readonly nodes: number
  /** The name of a newer request for the same. */
  readonly newer: string | undefined
  readonly node: Readonly<Node> | undefined
  /** Who else has one of the names: another Node, or the API itself. */
  readonly sharers: readonly Sharer[]
  /** What the API server said about the requester's rights; undefined if it was not asked. */
  readonly isAllowed?: boolean
}

export interface Sharer {
  readonly name: string
  readonly owner: string
}

/** Rights of requesters, by the subresource of certificatesigningrequests that they are asked for. */
export type Permission = 'nodeclient' | 'selfnodeclient'

export type Decision =
  | { readonly is: 'approved'; readonly claim: Claim; readonly message: string }
  /** The API server has to say first whether the requester has this right. */
  | { readonly is: 'asked'; readonly permission: Permission }
  | { readonly is: 'left'; readonly refusal: Refusal }

/** Pure: whether a request that waits is approved. The first rule that it breaks is why not. */
export function decide(facts: Facts): Decision {
  const flood = tooMany(facts)
  if (flood) return { is: 'left', refusal: flood }
  const { reading: claim, isAllowed } = facts
  if ('rule' in claim) return { is: 'left', refusal: claim }
  for (const rule of chain) {
    const refusal = rule(facts, claim)
    if (refusal) return { is: 'left', refusal }
  }
  const permission = permissions[claim.kind]
  if (permission !== undefined && isAllowed === undefined) return { is: 'asked', permission }
  if (permission !== undefined && !isAllowed) return { is: 'left', refusal: noRight(permission) }
  return { is: 'approved', claim, message: messages[claim.kind] }
}

/** Whether so many wait that none is approved. */
export function tooMany({ waiting, nodes }: Pick<Facts, 'waiting' | 'nodes'>): Refusal | undefined {
  const most = nodes + spareRequests
  if (waiting <= most) return undefined
  const counted = `${waiting} requests of kubelets wait, more than ${most}`
  return left('TooMany', `${counted} (nodes and ${spareRequests}), so none is approved`)
}

type Check = (facts: Facts, claim: Claim) => Refusal | undefined

const chain: readonly Check[] = [
  tooOld,
  fromTheFuture,
  notTheNewest,
  nodeAlive,
  nodeUnknown,
  foreignNames,
  sharedNames,
]

/** Serving certificates go by the Node's addresses alone. */
const permissions: Readonly<Record<ClaimKind, Permission | undefined>> = {
  join: 'nodeclient',
  renewal: 'selfnodeclient',
  serving: undefined,
}

const messages: Readonly<Record<ClaimKind, string>> = {
  join: 'A bootstrapper that may asks for a node, and no living node has this name.',
  renewal: 'A node asks for its own next certificate.',
  serving: 'A node asks for a certificate with its own names and addresses.',
}

function tooOld({ createdAt, now }: Facts): Refusal | undefined {
  if (now - createdAt <= oldestMs) return undefined
  const hours = (now - createdAt) / 3_600_000
  return left('TooOld', `it was made ${hours.toFixed(1)} h ago, and after 1 h nobody waits for it`)
}

function fromTheFuture({ createdAt, now }: Facts): Refusal | undefined {
  if (createdAt - now <= aheadMs) return undefined
  const minutes = Math.floor((createdAt - now) / 60_000)
  return left('FromTheFuture', `it was made ${minutes} min ahead of the signer's clock`)
}

function notTheNewest({ newer }: Facts): Refusal | undefined {
  return newer === undefined ? undefined : left('NotTheNewest', `${newer} asks for the same later`)
}

function nodeAlive({ node, now }: Facts, { kind }: Claim): Refusal | undefined {
  if (kind !== 'join' || !node || !isAlive(node, now)) return undefined
  const { name } = node.metadata
  return left('NodeAlive', `a bootstrapper asks for Node ${name}, which is there and Ready`)
}

function nodeUnknown(facts: Facts, { kind, node }: Claim): Refusal | undefined {
  if (kind === 'join' || facts.node) return undefined
  return left('NodeUnknown', `there is no Node ${node}`)
}

function foreignNames(facts: Facts, { kind, node, names }: Claim): Refusal | undefined {
  if (kind !== 'serving') return undefined
  const own = new Set(facts.node && namesOf(facts.node))
  const foreign = names.filter((name) => !own.has(name)).map(bare)
  if (foreign.length === 0) return undefined
  const what = foreign.slice(0, mostNamed).map(quoted).join(', ')
  return left('Addresses', `it asks for ${what}, which Node ${node} does not list in its addresses`)
}

function sharedNames({ sharers }: Facts, { kind }: Claim): Refusal | undefined {
  const [first] = sharers
  if (kind !== 'serving' || !first) return undefined
  return left('SharedAddresses', `${quoted(bare(first.name))} also belongs to ${first.owner}`)
}

function noRight(permission: Permission): Refusal {
  const right = `create certificatesigningrequests/${permission}`
  return left('Rights', `the cluster's RBAC does not let the requester ${right}`)
}

const mostNamed = 5

/** As a person writes it: without what says which kind of name it is. */
const bare = (name: string): string => name.replace(/^(dns|ip):/, '')

const left = (rule: Rule, why: string): Refusal => ({ rule, why, isFinal: false })
