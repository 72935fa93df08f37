import type { NodeTrust } from '../../../../src/api/resources.ts'
import { nodes, secrets } from '@machinist/kube/kinds/core'
import type { Secret } from '@machinist/kube/kinds/core'
import type { Change } from '../../api/memory-api.ts'
import type { TrustItem } from '../item.ts'
import type { Rotation } from '../rotations.ts'
import type { Scene } from '../scene.ts'
import type { SeenCertificate } from '../seen-certificates.ts'
import { secretText } from '../seen-certificates.ts'
import type { Held, TrustNode } from '../trust-node.ts'
import type { Leaf } from './leafs.ts'
import { Leafs } from './leafs.ts'

/** Whoever has not seen by then that a Node is there never will: longer than anybody is cut off, frozen or behind. */
const unseenMs = 8 * 60_000
/** A report may be on its way for so long. */
const reportMs = 10 * 60_000

/** What nodes hold is what they say, can be read, and lacks nothing that is in use. The README says what is excused. */
export class HoldingsCheck {
  readonly #scene: Scene
  readonly leafs: Leafs
  /** `node fingerprint`: may lack it until its kubelet first goes by it. */
  readonly #excused = new Set<string>()
  readonly #history = new Map<string, { readonly until: number; readonly text: string }[]>()
  /** When a Node came, or came again, after the beginning. */
  readonly #cameAt = new Map<string, number>()
  /** What the API says of them is from before the restore: it cannot be known to be wrong. */
  readonly #unreported = new Set<string>()
  #restoredAt = -Infinity
  #hasBegun = false
  /** By how much the signer's clock may have been wrong. */
  #signerSkewMs = 0

  constructor(scene: Scene) {
    this.#scene = scene
    this.leafs = new Leafs(scene)
  }

  look(change: Change): void {
    const { resource, type, actor } = change
    if (resource === '/secrets') this.#secret(change)
    if (resource === '/configmaps' && type === 'DELETED') this.leafs.forgetReplaced(change.object)
    if (resource.endsWith('/nodetrusts') && actor.startsWith('daemon/')) this.#told(change)
    if (resource === '/nodes' && type === 'ADDED') this.#joined(change.object.metadata.name)
    if (resource.endsWith('/trustrotations')) this.#noteOverride(change)
  }

  /** After a restore nodes hold what the API has lost, until they were given again what it has. */
  backup(): () => void {
    return () => {
      this.leafs.restored()
      const now = this.#scene.cluster.clock.elapsed()
      this.#restoredAt = now
      for (const name of this.#scene.nodes.keys()) {
        this.#joined(name)
        this.#cameAt.set(name, now)
        this.#unreported.add(name)
      }
    }
  }

  /** After every operation on the disk. */
  held(node: TrustNode, item: TrustItem, before: Held): void {
    const { reader, cluster } = this.#scene
    const text = node.holds(item).bundle
    this.#remember(node, item, before)
    const bundle = reader.bundle(text)
    if (!bundle || bundle.size === 0) {
      return cluster.violated(
        'no node ever holds a bundle that is empty or cannot be read',
        `${item} of ${node.name} is ${JSON.stringify(text)?.slice(0, 200)}`,
      )
    }
    this.learned(node, item)
    const had = reader.bundle(before.bundle)
    for (const leaf of this.leafs.live()) {
      const { authority, rotation } = leaf
      if (rotation.spec.trustedBy !== item || bundle.has(authority) || !had?.has(authority)) {
        continue
      }
      // What the API had handed on at the time of the backup may be less than what the node had.
      const isRestored = this.#scene.cluster.clock.elapsed() - this.#restoredAt < unseenMs
      if (isRestored) this.#excused.add(`${node.name} ${authority}`)
      else this.#lacks(node, leaf, 'no longer holds')
    }
  }

  /** Its kubelet goes by something else from now on. What is on the disk alone ends no excuse. */
  learned(node: TrustNode, item: TrustItem): void {
    const known = this.#scene.reader.bundle(node.goesBy(item))
    for (const fingerprint of known?.keys() ?? []) {
      this.#excused.delete(`${node.name} ${fingerprint}`)
    }
  }

  /** Whether every node holds what is in use; nothing is excused any more. */
  everyNodeHolds(): string[] {
    return this.leafs.live().flatMap(({ authority, rotation, certificate }) =>
      [...this.#scene.nodes.values()].flatMap((node) => {
        const item = rotation.spec.trustedBy!
        if (this.#scene.reader.has(node.goesBy(item), authority)) return []
        return [`${node.name} does not go by ${short(authority)} of ${certificate.subject}`]
      }),
    )
  }

  /** At the moment, and for certain, this node may lack this CA. */
  isExcused(node: string, fingerprint: string): boolean {
    return this.#excused.has(`${node} ${fingerprint}`)
  }

  /** The signer's clock is wrong, or was. */
  signerIsSkewed(ms: number): void {
    this.#signerSkewMs = Math.max(this.#signerSkewMs, ms)
    this.leafs.isTimeKnown = false
  }

  /** Everybody knows of the nodes that are there. */
  begun(): void {
    this.#hasBegun = true
  }

  /** There is a Node of this name, and everybody has had the time to see it. */
  isSeen(node: string): boolean {
    const { cluster } = this.#scene
    if (!cluster.get(nodes, { name: node }) || this.#unreported.has(node)) return false
    return cluster.clock.elapsed() - (this.#cameAt.get(node) ?? -Infinity) >= unseenMs
  }

  #secret(change: Change): void {
    const { rotations } = this.#scene
    const leaf = this.leafs.changed(change)
    if (leaf && change.actor === 'signer') this.#issued(leaf, change.before)
    const { name, namespace } = change.object.metadata
    const own = rotations.find(
      ({ spec }) => spec.signer.name === name && spec.signer.namespace === namespace,
    )
    if (own && change.actor === 'signer') this.#signerWritten(own, change)
  }

  /** A new certificate is shown from now on: nobody may fail to know who signed it. */
  #issued(leaf: Leaf, before: Secret | undefined): void {
    const { nodes: machines, reader } = this.#scene
    const { rotation, authority } = leaf
    const isEmergency = !this.#hadBetter(rotation, leaf, before)
    for (const node of machines.values()) {
      if (reader.has(node.goesBy(rotation.spec.trustedBy!), authority)) continue
      if (!this.isSeen(node.name)) this.#excused.add(`${node.name} ${authority}`)
      if (isEmergency) this.#excused.add(`${node.name} ${authority}`)
      if (this.isExcused(node.name, authority)) continue
      this.#lacks(node, leaf, 'does not hold yet')
    }
  }

  /** Whether there was another CA to sign with, or a certificate that still did. */
  #hadBetter(rotation: Rotation, { authority }: Leaf, before: Secret | undefined): boolean {
    const { cluster, reader } = this.#scene
    const now = cluster.clock.now()
    const chain = [...(reader.bundle(secretText(before, 'tls.crt'))?.values() ?? [])]
    const { namespace, name } = rotation.spec.bundle
    const bundle = cluster.api.find('/configmaps', name, namespace) as
      { data?: Record<string, string> } | undefined
    const trusted = reader.bundle(bundle?.data?.['ca-bundle.crt'])
    const isUsable = ({ notBefore, notAfter }: SeenCertificate): boolean =>
      notAfter > now + this.#signerSkewMs && notBefore <= now - this.#signerSkewMs
    const isBefore =
      chain.length > 0 &&
      reader.fits(chain[0]!, secretText(before, 'tls.key')) &&
      isUsable(chain[0]!) &&
      chain.some(({ fingerprint }) => trusted?.has(fingerprint) !== false)
    const signer = cluster.get(secrets, rotation.spec.signer)
    const others = ['tls', 'previous'].filter((pair) => {
      const [ca] = [...(reader.bundle(secretText(signer, `${pair}.crt`))?.values() ?? [])]
      const isOther = ca && ca.fingerprint !== authority && isUsable(ca)
      return isOther && reader.fits(ca, secretText(signer, `${pair}.key`))
    })
    return isBefore || others.length > 0
  }

  /** What signed a certificate that is in use can sign the next one, or something that is as well known can. */
  #signerWritten(rotation: Rotation, { object, before, type }: Change): void {
    if (type === 'DELETED' || !before) return
    const { cluster, reader } = this.#scene
    const now = cluster.clock.now()
    const inUse = new Set(
      (rotation.spec.targets ?? []).flatMap(
        (target) => this.leafs.inSecret(rotation, target)?.authority ?? [],
      ),
    )
    const signing = (secret: Secret): string[] =>
      ['tls', 'previous'].flatMap((pair) => {
        const [ca] = [...(reader.bundle(secretText(secret, `${pair}.crt`))?.values() ?? [])]
        if (!ca || !inUse.has(ca.fingerprint) || ca.notAfter <= now + this.#signerSkewMs) return []
        return reader.fits(ca, secretText(secret, `${pair}.key`)) ? [ca.fingerprint] : []
      })
    const could = signing(before)
    if (could.length === 0 || signing(object).length > 0) return
    cluster.violated(
      'no key is lost that is needed',
      `Secret ${object.metadata.name} no longer has the key of ${could.map(short).join()}`,
    )
  }

  #told({ object, before }: Change): void {
    const { cluster, nodes: machines, reader } = this.#scene
    this.#unreported.delete(object.metadata.name)
    const node = machines.get(object.metadata.name)
    const now = cluster.clock.elapsed()
    for (const item of ['kubelet-client-ca', 'api-server-ca'] as const) {
      const told = fingerprintsIn(object, item)
      if (!node || told.length === 0 || same(told, fingerprintsIn(before, item))) {
        continue
      }
      const since = (this.#history.get(`${node.name} ${item}`) ?? []).filter(
        ({ until }) => until >= now - reportMs,
      )
      const texts = [node.holds(item).all, ...since.map(({ text }) => text)]
      if (texts.some((text) => same(told, [...(reader.bundle(text)?.keys() ?? [])]))) continue
      cluster.violated(
        'what a node says that it holds is on its disk',
        `${node.name} tells of ${item} ${told.map(short).join()}, and never had that`,
      )
    }
  }

  #joined(name: string): void {
    const { cluster, nodes: machines, reader } = this.#scene
    if (this.#hasBegun) this.#cameAt.set(name, cluster.clock.elapsed())
    const node = machines.get(name)
    if (!node) return
    for (const { authority, rotation } of this.leafs.live()) {
      const text = node.goesBy(rotation.spec.trustedBy!)
      if (text !== undefined && !reader.has(text, authority)) {
        this.#excused.add(`${name} ${authority}`)
      }
    }
  }

  #noteOverride({ object }: Change): void {
    const { override } = (object as unknown as { spec: Rotation['spec'] }).spec
    for (const node of override?.nodes ?? []) this.#excused.add(`${node} ${override!.authority}`)
  }

  /** What was on the disk until now. */
  #remember(node: TrustNode, item: TrustItem, { all: text }: Held): void {
    const key = `${node.name} ${item}`
    const until = this.#scene.cluster.clock.elapsed()
    this.#history.set(key, [...(this.#history.get(key) ?? []), { until, text }])
  }

  #lacks(node: TrustNode, { authority, certificate, rotation }: Leaf, how: string): void {
    this.#scene.cluster.violated(
      'no node lacks a CA that a certificate in use needs',
      `${node.name} ${how} ${short(authority)}, which signed "${certificate.subject}" (${rotation.name})`,
    )
  }
}

export const short = (fingerprint: string): string => fingerprint.slice(0, 12)

function fingerprintsIn(trust: NodeTrust | undefined, item: TrustItem): string[] {
  const found = trust?.status?.items?.find(({ name }) => name === item)
  return (found?.certificates ?? []).map(({ fingerprint }) => fingerprint)
}

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each) => b.includes(each))
