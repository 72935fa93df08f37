import { timestamp } from '@machinist/core/timestamp'
import { isDamaged } from '@machinist/pki/renewal'
import type { Plan, Write } from './decide.ts'
import { decide } from './decide.ts'
import type {
  Authority,
  BundleFacts,
  NodesFacts,
  RotationFacts,
  SignerFacts,
  TargetFacts,
} from './facts.ts'
import { bundle, dress, leafOf, rotationOf, second } from './decide-world.fixture.ts'

/** What a node wrote: which CAs, and when each of them came. Undefined: it has told nothing yet. */
export type NodeState = Map<string, number> | undefined

export interface ModelState {
  now: number
  signer: SignerFacts | undefined
  bundle: BundleFacts | undefined
  published: BundleFacts | undefined
  /** What others publish there. */
  other: BundleFacts | undefined
  targets: (TargetFacts | undefined)[]
  nodes: NodeState[]
}

/** A cluster of facts: plans are carried out as the API server and nodes would. */
export class Model {
  readonly state: ModelState
  readonly rotation = rotationOf()
  readonly #problems: string[] = []
  #made = 0
  /** What is published was written by a plan. */
  #isOurs = false
  #latest = 0

  constructor(state: ModelState) {
    this.state = structuredClone(state)
  }

  /** What was done that must never be done. */
  get problems(): readonly string[] {
    return this.#problems
  }

  facts(): RotationFacts {
    this.#clampTimes()
    const { now, signer, published, other, targets } = this.state
    const key = { namespace: 'keys', name: 'client-ca' }
    const inputs = other ? [{ key: { namespace: 'keys', name: 'other' }, bundle: other }] : []
    return {
      rotation: this.rotation,
      now,
      signer,
      bundle: this.state.bundle,
      published: [{ key, ...(published && { found: published }), inputs }],
      targets,
      nodes: this.#nodes(signer && !isDamaged(signer.current) ? signer.current.fingerprint : ''),
      ...(signer?.previous && { previousNodes: this.#nodes(signer.previous.fingerprint) }),
    }
  }

  /** One look, and as many of its writes as it comes to before it is killed; some may be refused. */
  pass(most = Infinity, refused?: Write['to']): Plan {
    const plan = decide(this.facts())
    for (const write of plan.writes.slice(0, most).filter(({ to }) => to !== refused)) {
      this.#apply(write)
      if (write.to === 'signer') break
    }
    return plan
  }

  /** A node writes what is published. */
  follow(index: number): void {
    const { nodes, published, now } = this.state
    if (!published || published.authorities.length === 0) return
    const before = nodes[index]
    // What had ended is in use again where a clock goes back: nobody is to blame for that.
    const isOurs = this.#isOurs && now >= this.#latest
    const there = published.authorities.map(({ fingerprint }) => fingerprint)
    nodes[index] = new Map(there.map((each) => [each, before?.get(each) ?? now]))
    for (const leaf of this.state.targets.map(leafOf)) {
      const by = leaf?.signedBy
      const isLost = by && before?.has(by.fingerprint) && !nodes[index].has(by.fingerprint)
      if (isLost && isOurs && this.#isKnown(by) && now <= leaf.notAfter) {
        this.#problems.push(`a node no longer trusts ${by.fingerprint}, which is in use`)
      }
    }
  }

  /** A clock that went back: what was written later than now was written now, as far as anybody can tell. */
  #clampTimes(): void {
    this.#latest = Math.max(this.#latest, this.state.now)
    for (const node of this.state.nodes) {
      for (const [each, at] of node ?? []) node!.set(each, Math.min(at, this.state.now))
    }
  }

  #isKnown({ fingerprint }: Authority): boolean {
    return this.state.bundle?.authorities.some((each) => each.fingerprint === fingerprint) ?? false
  }

  #nodes(authority: string): NodesFacts {
    const { nodes, now, other } = this.state
    const known = this.state.bundle
    const desired = [...(known?.authorities ?? []), ...(other?.authorities ?? [])]
    const isDesired = new Set([authority, ...desired.map(({ fingerprint }) => fingerprint)])
    const since = nodes.map((node) => node?.get(authority))
    const counts = since.filter((at) => at !== undefined && at + this.rotation.settle.nodeMs <= now)
    const lacking = since.filter((at) => at === undefined).length
    const settling = nodes.length - lacking - counts.length
    const holds = known
      ? nodes.filter((node) => [...(node?.keys() ?? [])].some((each) => !isDesired.has(each)))
      : []
    return {
      total: nodes.length,
      trusting: counts.length,
      excused: 0,
      lacking,
      settling,
      holdingOld: holds.length,
      laggards: [],
      holders: [],
    }
  }

  #apply(write: Write): void {
    if (write.to === 'signer') this.#writeSigner(write)
    else if (write.to === 'bundle') this.#writeBundle(write)
    else if (write.to === 'published') this.#publish(write.authorities)
    else if (write.do === 'issue') this.#issue(write.index, write.by)
    else {
      const found = this.state.targets[write.index]!
      const hostnames = this.rotation.targets[write.index]!.hostnames.all.join(',')
      const worn = { type: 'target', hasOwner: true, hostnames }
      this.state.targets[write.index] = { ...found, dress: { ...found.dress, ...worn } }
    }
  }

  #publish(authorities: readonly Authority[]): void {
    this.state.published = bundle(...authorities)
    this.#isOurs = true
  }

  #writeSigner(write: Extract<Write, { to: 'signer' }>): void {
    const { signer, now } = this.state
    if (write.do === 'renew') {
      const current = {
        fingerprint: `made ${++this.#made}`,
        commonName: write.name,
        subject: `CN=${write.name}`,
        notBefore: now - second,
        notAfter: now + this.rotation.signer.validityMs,
      }
      const kept = write.keep === 'none' ? undefined : signer![write.keep]
      this.#keep(current, kept as Authority | undefined)
    } else if (write.do === 'swap') {
      this.#keep(signer!.previous!, signer!.current as Authority)
    } else if (write.do === 'drop-previous') {
      const { previous: _, ...rest } = signer!
      this.state.signer = { ...rest, keepsPrevious: false }
    } else {
      const worn = { ...signer!.dress, type: 'signer', hasOwner: true }
      this.state.signer = { ...signer!, dress: worn }
    }
  }

  #keep(current: Authority, previous: Authority | undefined): void {
    this.state.signer = {
      dress: dress('signer', current),
      current,
      keepsPrevious: previous !== undefined,
      ...(previous && { previous }),
    }
  }

  #writeBundle({ authorities, own }: Extract<Write, { to: 'bundle' }>): void {
    const { state } = this
    if (authorities.length === 0) this.#problems.push('the bundle is empty')
    const wanted = new Set(authorities.map(({ fingerprint }) => fingerprint))
    for (const gone of state.bundle?.authorities ?? []) {
      const isUsed = state.targets.some((target) => {
        const leaf = leafOf(target)
        return leaf?.signedBy?.fingerprint === gone.fingerprint && state.now <= leaf.notAfter
      })
      if (!wanted.has(gone.fingerprint) && isUsed && state.now <= gone.notAfter) {
        this.#problems.push(`${gone.fingerprint} is gone although a certificate needs it`)
      }
    }
    state.bundle = { ...bundle(...authorities), own }
  }

  #issue(index: number, by: 'current' | 'previous'): void {
    const { state, rotation } = this
    const found = state.targets[index]
    const signedBy = state.signer![by] as Authority
    this.#judgeIssue(found, by, signedBy)
    const wish = rotation.targets[index]!
    const notBefore = Math.max(state.now - second, signedBy.notBefore)
    const notAfter = Math.min(state.now + wish.validityMs, signedBy.notAfter)
    const hostnames = wish.hostnames.all.join(',')
    state.targets[index] = {
      dress: {
        type: 'target',
        hasOwner: true,
        notBefore: timestamp(notBefore),
        notAfter: timestamp(notAfter),
        issuer: signedBy.commonName,
        ...(hostnames && { hostnames }),
      },
      leaf: { notBefore, notAfter, serial: '02', signedBy },
    }
  }

  #judgeIssue(found: TargetFacts | undefined, by: string, signedBy: Authority): void {
    const { bundle: known, now, signer, nodes } = this.state
    const has = (each: Authority | undefined): boolean =>
      known?.authorities.some(({ fingerprint }) => fingerprint === each?.fingerprint) ?? false
    if (!has(signedBy))
      this.#problems.push(`${signedBy.fingerprint} signs, but is not in the bundle`)
    if (now > signedBy.notAfter) this.#problems.push(`${signedBy.fingerprint} signs, but is over`)
    const trusts = (each: Authority): boolean =>
      nodes.every(
        (node) => (node?.get(each.fingerprint) ?? Infinity) + this.rotation.settle.nodeMs <= now,
      )
    if (trusts(signedBy)) return
    const leaf = leafOf(found)
    const isGood =
      leaf?.signedBy !== undefined &&
      now <= Math.min(leaf.notAfter, leaf.signedBy.notAfter) &&
      leaf.notBefore <= now &&
      has(leaf.signedBy)
    // Whoever lacks the CA of the leaf in use loses nothing by another leaf of it.
    const isOther = leaf?.signedBy?.fingerprint !== signedBy.fingerprint
    const rival = signer?.[by === 'current' ? 'previous' : 'current']
    const hasBetter =
      rival !== undefined &&
      !isDamaged(rival) &&
      has(rival) &&
      trusts(rival) &&
      now <= rival.notAfter &&
      rival.notBefore <= now
    if ((isGood && isOther) || hasBetter) {
      this.#problems.push(`${signedBy.fingerprint} signs before all nodes trust it`)
    }
  }
}
