import { nodes, secrets } from '@machinist/kube/kinds/core'
import type { Secret } from '@machinist/kube/kinds/core'
import type { NodeTrust } from '../../../../src/api/kinds/resources.ts'
import type { Change } from '../../api/memory-api.ts'
import type { TrustItem } from '../item.ts'
import type { Rotation } from '../rotations.ts'
import type { TrustScene } from '../scene.ts'
import type { SeenCertificate } from '../seen-certificates.ts'
import { secretText } from '../seen-certificates.ts'
import type { Held, TrustNode } from '../trust-node.ts'
import type { Leaf } from './leaf-certificates.ts'
import { LeafCertificates } from './leaf-certificates.ts'

/** The time within which all components observe a new Node: longer than any fault delays a component. */
const unseenMs = 8 * 60_000
/** The longest delay of a report. */
const reportMs = 10 * 60_000

/** Nodes hold the bundles that they report, bundles can be parsed, and no CA in use is missing. The README lists the exceptions. */
export class NodeBundlesCheck {
  readonly #scene: TrustScene
  readonly leafCertificates: LeafCertificates
  /** `node fingerprint`: may lack the CA until its kubelet first uses it. */
  readonly #excused = new Set<string>()
  readonly #history = new Map<string, { readonly until: number; readonly text: string }[]>()
  /** When a Node was created, or recreated, after the start. */
  readonly #cameAt = new Map<string, number>()
  /** Nodes that have not reported since the restore. */
  readonly #unreported = new Set<string>()
  #restoredAt = -Infinity
  #hasBegun = false
  /** The maximum error of the signer's clock so far. */
  #signerSkewMs = 0

  constructor(scene: TrustScene) {
    this.#scene = scene
    this.leafCertificates = new LeafCertificates(scene)
  }

  look(change: Change): void {
    const { resource, type, actor } = change
    if (resource === '/secrets') this.#secret(change)
    if (resource === '/configmaps' && type === 'DELETED')
      this.leafCertificates.forgetReplaced(change.object)
    if (resource.endsWith('/nodetrusts') && actor.startsWith('daemon/')) this.#reported(change)
    if (resource === '/nodes' && type === 'ADDED') this.#joined(change.object.metadata.name)
    if (resource.endsWith('/trustrotations')) this.#noteOverride(change)
  }

  /** After a restore nodes hold bundles that the API has lost, until the restored ones are delivered. */
  backup(): () => void {
    return () => {
      this.leafCertificates.restored()
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
        'no node holds an empty or invalid bundle',
        `${item} of ${node.name} is ${JSON.stringify(text)?.slice(0, 200)}`,
      )
    }
    this.learned(node, item)
    const had = reader.bundle(before.bundle)
    for (const leaf of this.leafCertificates.live()) {
      const { authority, rotation } = leaf
      if (rotation.spec.trustedBy !== item || bundle.has(authority) || !had?.has(authority)) {
        continue
      }
      // The restored API may deliver fewer CAs than the node had.
      const isRestored = this.#scene.cluster.clock.elapsed() - this.#restoredAt < unseenMs
      if (isRestored) this.#excused.add(`${node.name} ${authority}`)
      else this.#lacks(node, leaf, 'no longer holds')
    }
  }

  /** The kubelet uses another bundle from now on. A bundle on disk alone does not end an exception. */
  learned(node: TrustNode, item: TrustItem): void {
    const known = this.#scene.reader.bundle(node.trustsWith(item))
    for (const fingerprint of known?.keys() ?? []) {
      this.#excused.delete(`${node.name} ${fingerprint}`)
    }
  }

  /** CAs in use that a node lacks; without exceptions. */
  everyNodeHolds(): string[] {
    return this.leafCertificates.live().flatMap(({ authority, rotation, certificate }) =>
      [...this.#scene.nodes.values()].flatMap((node) => {
        const item = rotation.spec.trustedBy!
        if (this.#scene.reader.has(node.trustsWith(item), authority)) return []
        return [`${node.name} does not use ${short(authority)} of ${certificate.subject}`]
      }),
    )
  }

  /** Whether this node may lack this CA now. */
  isExcused(node: string, fingerprint: string): boolean {
    return this.#excused.has(`${node} ${fingerprint}`)
  }

  /** The signer's clock is wrong, or was. */
  signerIsSkewed(ms: number): void {
    this.#signerSkewMs = Math.max(this.#signerSkewMs, ms)
    this.leafCertificates.isTimeKnown = false
  }

  /** All components have observed the first nodes. */
  begun(): void {
    this.#hasBegun = true
  }

  /** The Node exists, and all components had the time to observe it. */
  isSeen(node: string): boolean {
    const { cluster } = this.#scene
    if (!cluster.get(nodes, { name: node }) || this.#unreported.has(node)) return false
    return cluster.clock.elapsed() - (this.#cameAt.get(node) ?? -Infinity) >= unseenMs
  }

  #secret(change: Change): void {
    const { rotations } = this.#scene
    const leaf = this.leafCertificates.changed(change)
    if (leaf && change.actor === 'signer') this.#issued(leaf, change.before)
    const { name, namespace } = change.object.metadata
    const own = rotations.find(
      ({ spec }) => spec.signer.name === name && spec.signer.namespace === namespace,
    )
    if (own && change.actor === 'signer') this.#signerWritten(own, change)
  }

  /** A new leaf certificate is in use: every node must trust its CA. */
  #issued(leaf: Leaf, before: Secret | undefined): void {
    const { nodes: machines, reader } = this.#scene
    const { rotation, authority } = leaf
    const isEmergency = !this.#hadBetter(rotation, leaf, before)
    for (const node of machines.values()) {
      if (reader.has(node.trustsWith(rotation.spec.trustedBy!), authority)) continue
      if (!this.isSeen(node.name)) this.#excused.add(`${node.name} ${authority}`)
      if (isEmergency) this.#excused.add(`${node.name} ${authority}`)
      if (this.isExcused(node.name, authority)) continue
      this.#lacks(node, leaf, 'does not hold yet')
    }
  }

  /** Whether another CA could have signed, or the previous certificate was still valid. */
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

  /** The signer's Secret keeps a key pair that signed a certificate in use. */
  #signerWritten(rotation: Rotation, { object, before, type }: Change): void {
    if (type === 'DELETED' || !before) return
    const { cluster, reader } = this.#scene
    const now = cluster.clock.now()
    const inUse = new Set(
      (rotation.spec.targets ?? []).flatMap(
        (target) => this.leafCertificates.inSecret(rotation, target)?.authority ?? [],
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
      'the signer keeps every key in use',
      `Secret ${object.metadata.name} no longer has the key of ${could.map(short).join()}`,
    )
  }

  #reported({ object, before }: Change): void {
    const { cluster, nodes: machines, reader } = this.#scene
    this.#unreported.delete(object.metadata.name)
    const node = machines.get(object.metadata.name)
    const now = cluster.clock.elapsed()
    for (const item of ['kubelet-client-ca', 'api-server-ca'] as const) {
      const reported = fingerprintsIn(object, item)
      if (!node || reported.length === 0 || same(reported, fingerprintsIn(before, item))) {
        continue
      }
      const since = (this.#history.get(`${node.name} ${item}`) ?? []).filter(
        ({ until }) => until >= now - reportMs,
      )
      const texts = [node.holds(item).all, ...since.map(({ text }) => text)]
      if (texts.some((text) => same(reported, [...(reader.bundle(text)?.keys() ?? [])]))) continue
      cluster.violated(
        'a reported bundle is on the disk of the node',
        `${node.name} reports ${item} ${reported.map(short).join()}, and never had that`,
      )
    }
  }

  #joined(name: string): void {
    const { cluster, nodes: machines, reader } = this.#scene
    if (this.#hasBegun) this.#cameAt.set(name, cluster.clock.elapsed())
    const node = machines.get(name)
    if (!node) return
    for (const { authority, rotation } of this.leafCertificates.live()) {
      const text = node.trustsWith(rotation.spec.trustedBy!)
      if (text !== undefined && !reader.has(text, authority)) {
        this.#excused.add(`${name} ${authority}`)
      }
    }
  }

  #noteOverride({ object }: Change): void {
    const { override } = (object as unknown as { spec: Rotation['spec'] }).spec
    for (const node of override?.nodes ?? []) this.#excused.add(`${node} ${override!.authority}`)
  }

  /** Records the previous content of the disk. */
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
