import { timestamp } from '@machinist/core/timestamp'
import { isDamaged } from '@machinist/pki/renewal'
import type {
  Authority,
  BundleFacts,
  NodesFacts,
  CertificateFacts,
  SignerFacts,
  TargetFacts,
} from '../facts/facts.ts'
import type { Rotation } from '../../../fleet/rotation/rotation-spec.ts'
import type { UserDataRecord } from '../../../fleet/rotation/user-data-record.ts'
import type { CertificatePlan, RotationWrite } from './plan-certificates.ts'
import { planCertificates } from './plan-certificates.ts'
import { bundle, metadataFor, leafOf, rotationOf, second } from './decide-facts.fixture.ts'

/** The CAs of a node with the time at which each was written; undefined: the node has not reported. */
export type NodeState = Map<string, number> | undefined

export interface ModelState {
  now: number
  signer: SignerFacts | undefined
  bundle: BundleFacts | undefined
  published: BundleFacts | undefined
  /** The other input of the published bundle. */
  other: BundleFacts | undefined
  targets: (TargetFacts | undefined)[]
  nodes: NodeState[]
  userData?: UserDataRecord
}

/** A model of a cluster as facts: applies plans as the API server and nodes would. */
export class Model {
  readonly state: ModelState
  readonly rotation: Rotation
  readonly #problems: string[] = []
  #made = 0
  /** The published bundle was written by a plan. */
  #isOurs = false
  #latest = 0

  constructor(state: ModelState, rotation: Rotation = rotationOf()) {
    this.state = structuredClone(state)
    this.rotation = rotation
  }

  /** Violations of invariants. */
  get problems(): readonly string[] {
    return this.#problems
  }

  facts(): CertificateFacts {
    this.#clampTimes()
    const { now, signer, published, other, targets, userData } = this.state
    const hasNodes = this.rotation.trustedBy !== undefined
    const current = signer && !isDamaged(signer.current) ? signer.current.fingerprint : ''
    const key = { namespace: 'keys', name: 'client-ca' }
    const inputs = other ? [{ key: { namespace: 'keys', name: 'other' }, bundle: other }] : []
    return {
      rotation: this.rotation,
      now,
      signer,
      bundle: this.state.bundle,
      published: this.rotation.publishedIn.map(() => ({
        key,
        ...(published && { found: published }),
        inputs,
      })),
      targets,
      nodes: hasNodes ? this.#nodes(current) : undefined,
      ...(hasNodes &&
        signer?.previous && { previousNodes: this.#nodes(signer.previous.fingerprint) }),
      ...(userData && { userData }),
    }
  }

  /** One pass, with at most `most` writes before it is killed; writes of type `refused` fail. */
  pass(most = Infinity, refused?: RotationWrite['type']): CertificatePlan {
    const plan = planCertificates(this.facts())
    for (const write of plan.writes.slice(0, most).filter(({ type }) => type !== refused)) {
      this.#apply(write)
      if (write.type === 'signer') break
    }
    return plan
  }

  /** A node writes the published bundle. */
  follow(index: number): void {
    const { nodes, published, now } = this.state
    if (!published || published.authorities.length === 0) return
    const before = nodes[index]
    // After a clock goes back, an expired certificate is valid again: that is no violation.
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

  /** After a clock goes back, times in the future count as now. */
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

  #apply(write: RotationWrite): void {
    if (write.type === 'signer') this.#writeSigner(write)
    else if (write.type === 'bundle') this.#writeBundle(write)
    else if (write.type === 'published') this.#publish(write.authorities)
    else if (write.action === 'issue') this.#issue(write.index, write.by)
    else {
      const found = this.state.targets[write.index]!
      const hostnames = this.rotation.targets[write.index]!.hostnames.all.join(',')
      const metadata = { type: 'target', hasOwner: true, hostnames }
      this.state.targets[write.index] = { ...found, metadata: { ...found.metadata, ...metadata } }
    }
  }

  #publish(authorities: readonly Authority[]): void {
    this.state.published = bundle(...authorities)
    this.#isOurs = true
  }

  #writeSigner(write: Extract<RotationWrite, { type: 'signer' }>): void {
    const { signer, now } = this.state
    if (write.action === 'renew') {
      const current = {
        fingerprint: `made ${++this.#made}`,
        commonName: write.name,
        subject: `CN=${write.name}`,
        notBefore: now - second,
        notAfter: now + this.rotation.signer.validityMs,
      }
      const kept = write.keep === 'none' ? undefined : signer![write.keep]
      this.#keep(current, kept as Authority | undefined)
    } else if (write.action === 'swap') {
      this.#keep(signer!.previous!, signer!.current as Authority)
    } else if (write.action === 'drop-previous') {
      const { previous: _, ...rest } = signer!
      this.state.signer = { ...rest, keepsPrevious: false }
    } else {
      const metadata = { ...signer!.metadata, type: 'signer', hasOwner: true }
      this.state.signer = { ...signer!, metadata: metadata }
    }
  }

  #keep(current: Authority, previous: Authority | undefined): void {
    this.state.signer = {
      metadata: metadataFor('signer', current),
      current,
      keepsPrevious: previous !== undefined,
      ...(previous && { previous }),
    }
  }

  #writeBundle({ authorities, own }: Extract<RotationWrite, { type: 'bundle' }>): void {
    const { state } = this
    if (authorities.length === 0) this.#problems.push('the bundle is empty')
    const desired = new Set(authorities.map(({ fingerprint }) => fingerprint))
    for (const gone of state.bundle?.authorities ?? []) {
      const isUsed = state.targets.some((target) => {
        const leaf = leafOf(target)
        return leaf?.signedBy?.fingerprint === gone.fingerprint && state.now <= leaf.notAfter
      })
      if (!desired.has(gone.fingerprint) && isUsed && state.now <= gone.notAfter) {
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
    const target = rotation.targets[index]!
    const notBefore = Math.max(state.now - second, signedBy.notBefore)
    const notAfter = Math.min(state.now + target.validityMs, signedBy.notAfter)
    const hostnames = target.hostnames.all.join(',')
    state.targets[index] = {
      metadata: {
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
    if (now > signedBy.notAfter)
      this.#problems.push(`${signedBy.fingerprint} signs, but has expired`)
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
    // A node without the CA of the current leaf certificate loses nothing by another one of it.
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
