import { quoted } from '@machinist/core/quoted'
import { DecisionChain } from '@machinist/kube/controller/decision-chain'
import { isAlive } from '../nodes/node-liveness.ts'
import { namesOf } from '../nodes/node-names.ts'
import type { Claim, ClaimKind } from './claim.ts'
import type { RequestFacts } from './facts.ts'
import { maxAgeMs, maxClockSkewMs, spareRequests } from './limits.ts'
import type { CheckName, Refusal } from './refusals.ts'

/** The permission that a requester needs: to create this subresource of certificatesigningrequests. */
export type Permission = 'nodeclient' | 'selfnodeclient'

export type RequestPlan =
  | { readonly action: 'approve'; readonly claim: Claim; readonly message: string }
  /** An access review must show whether the requester has this permission. */
  | { readonly action: 'checkPermission'; readonly permission: Permission }
  /** The request is left to an administrator. */
  | { readonly action: 'leave'; readonly refusal: Refusal }

type LeaveOrCheck = Exclude<RequestPlan, { readonly action: 'approve' }>
type RequestCheck = (facts: RequestFacts) => LeaveOrCheck | undefined

/** Decides about a pending request: approves it if no check decides otherwise. Pure. */
export function decide(facts: RequestFacts): RequestPlan {
  const decided = chain.evaluate(facts)
  if (decided) return decided.result
  const claim = facts.reading
  if ('check' in claim) throw new Error('no check decided, although the request is refused')
  return { action: 'approve', claim, message: messages[claim.kind] }
}

/** Whether too many requests are pending, so that none is approved. */
export function tooMany({
  waiting,
  nodes,
}: Pick<RequestFacts, 'waiting' | 'nodes'>): Refusal | undefined {
  const limit = nodes + spareRequests
  if (waiting <= limit) return undefined
  const counted = `${waiting} requests of kubelets are pending, more than ${limit}`
  return refused('TooMany', `${counted} (nodes and ${spareRequests}), so none is approved`)
}

/** A check of a well-formed request. */
const ofClaim =
  (check: (facts: RequestFacts, claim: Claim) => Refusal | undefined): RequestCheck =>
  (facts) =>
    'check' in facts.reading ? undefined : leave(check(facts, facts.reading))

const chain = DecisionChain.of<RequestFacts, LeaveOrCheck>(
  {
    TooMany: (facts) => leave(tooMany(facts)),
    WellFormed: ({ reading }) => ('check' in reading ? leave(reading) : undefined),
    TooOld: ofClaim(tooOld),
    FromTheFuture: ofClaim(fromTheFuture),
    NotTheNewest: ofClaim(notTheNewest),
    NodeAlive: ofClaim(nodeAlive),
    NodeUnknown: ofClaim(nodeUnknown),
    Addresses: ofClaim(foreignNames),
    SharedAddresses: ofClaim(sharedNames),
    Rights: permission,
  },
  (result) => (result.action === 'leave' ? result.refusal.why : result.permission),
)

/** Serving certificates depend only on the addresses of the Node. */
const permissions: Readonly<Record<ClaimKind, Permission | undefined>> = {
  join: 'nodeclient',
  renewal: 'selfnodeclient',
  serving: undefined,
}

const messages: Readonly<Record<ClaimKind, string>> = {
  join: 'A permitted bootstrapper requests a certificate for a node, and no running node has this name.',
  renewal: 'A node requests its own next certificate.',
  serving: 'A node requests a certificate with its own names and addresses.',
}

function tooOld({ createdAt, now }: RequestFacts): Refusal | undefined {
  if (now - createdAt <= maxAgeMs) return undefined
  const hours = (now - createdAt) / 3_600_000
  return refused('TooOld', `it was created ${hours.toFixed(1)} h ago, and the limit is 1 h`)
}

function fromTheFuture({ createdAt, now }: RequestFacts): Refusal | undefined {
  if (createdAt - now <= maxClockSkewMs) return undefined
  const minutes = Math.floor((createdAt - now) / 60_000)
  return refused('FromTheFuture', `it was created ${minutes} min ahead of the signer's clock`)
}

function notTheNewest({ newer }: RequestFacts): Refusal | undefined {
  if (newer === undefined) return undefined
  return refused('NotTheNewest', `${newer} is a newer request for the same certificate`)
}

function nodeAlive({ node, now }: RequestFacts, { kind }: Claim): Refusal | undefined {
  if (kind !== 'join' || !node || !isAlive(node, now)) return undefined
  const { name } = node.metadata
  return refused(
    'NodeAlive',
    `a bootstrapper requests it for Node ${name}, which exists and is Ready`,
  )
}

function nodeUnknown(facts: RequestFacts, { kind, node }: Claim): Refusal | undefined {
  if (kind === 'join' || facts.node) return undefined
  return refused('NodeUnknown', `Node ${node} does not exist`)
}

function foreignNames(facts: RequestFacts, { kind, node, names }: Claim): Refusal | undefined {
  if (kind !== 'serving') return undefined
  const own = new Set(facts.node && namesOf(facts.node))
  const foreign = names.filter((name) => !own.has(name)).map(withoutPrefix)
  if (foreign.length === 0) return undefined
  const what = foreign.slice(0, maxNamed).map(quoted).join(', ')
  return refused(
    'Addresses',
    `it requests ${what}, which Node ${node} does not list in its addresses`,
  )
}

function sharedNames({ sharers }: RequestFacts, { kind }: Claim): Refusal | undefined {
  const [first] = sharers
  if (kind !== 'serving' || !first) return undefined
  const name = quoted(withoutPrefix(first.name))
  return refused('SharedAddresses', `${name} also belongs to ${first.owner}`)
}

/** The last check, so that a review is requested only for requests that pass all others. */
function permission({ reading: claim, isAllowed }: RequestFacts): LeaveOrCheck | undefined {
  const needed = 'check' in claim ? undefined : permissions[claim.kind]
  if (needed === undefined || isAllowed) return undefined
  if (isAllowed === undefined) return { action: 'checkPermission', permission: needed }
  const verb = `create certificatesigningrequests/${needed}`
  return leave(refused('Rights', `the cluster's RBAC does not allow the requester to ${verb}`))
}

const maxNamed = 5

/** The name without the prefix for its kind, for users. */
const withoutPrefix = (name: string): string => name.replace(/^(dns|ip):/, '')

function leave(refusal: Refusal): LeaveOrCheck
function leave(refusal: Refusal | undefined): LeaveOrCheck | undefined
function leave(refusal: Refusal | undefined): LeaveOrCheck | undefined {
  return refusal && { action: 'leave', refusal }
}

function refused(check: CheckName, why: string): Refusal {
  return { check, why, isFinal: false }
}
