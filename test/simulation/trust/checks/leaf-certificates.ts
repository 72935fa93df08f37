import type { Random } from '@machinist/core/random'
import { between, seededRandom } from '@machinist/core/random'
import type { Secret } from '@machinist/kube/kinds/core'
import type { Change } from '../../api/memory-api.ts'
import type { Place, Rotation } from '../rotations.ts'
import { samePlace } from '../rotations.ts'
import type { TrustScene } from '../scene.ts'
import type { SeenCertificate } from '../seen-certificates.ts'
import { secretText } from '../seen-certificates.ts'
import { LeafHolder } from './leaf-holder.ts'

/** A longer delay would require a longer `leafSettle`. */
const longestDeliveryMs = 50_000

/** A leaf certificate in use. */
export interface Leaf {
  readonly rotation: Rotation
  readonly certificate: SeenCertificate
  /** Fingerprint of its CA. */
  readonly authority: string
}

interface Shown extends Leaf {
  /** When all servers have its successor. */
  readonly until: number
}

/**
 * The leaf certificates in use: valid ones in target Secrets; for servers, also each predecessor for `leafSettle`; for clients, the ones
 * that their holders present.
 */
export class LeafCertificates {
  readonly #scene: TrustScene
  readonly #random: Random
  /** Clients by Secret. */
  readonly #holders = new Map<string, LeafHolder>()
  #shown: Shown[] = []
  /** Whether the signer's clock has always been correct. */
  isTimeKnown = true

  constructor(scene: TrustScene) {
    this.#scene = scene
    this.#random = seededRandom(scene.cluster.seed)
  }

  /** Updates the certificates in use after a write of a Secret. Returns the new leaf certificate of a target. */
  changed({ object, before, type }: Change): Leaf | undefined {
    const key = object.metadata as Place
    const rotation = this.#scene.rotations.find(({ spec }) =>
      spec.targets?.some((target) => samePlace(target, key)),
    )
    const target = rotation?.spec.targets?.find((each) => samePlace(each, key))
    if (!rotation || !target) return undefined
    const now = this.#now
    const was = before && this.#leafIn(rotation, before)
    const is = type === 'DELETED' ? undefined : this.#leafIn(rotation, object)
    if (was?.certificate.fingerprint === is?.certificate.fingerprint) return undefined
    if (target.usage === 'client') {
      if (is) this.#holderOf(key).written(is, now)
      return is
    }
    // It was replaced when its successor was signed; the write may have been delayed.
    const replaced = Math.min(now, is ? is.certificate.notBefore + 1000 : now)
    this.#shown = this.#shown.filter(({ until }) => until > now)
    if (was) this.#shown.push({ ...was, until: replaced + rotation.leafSettleMs })
    return is
  }

  /** After the deletion of a bundle, replaced certificates no longer count: the signer cannot know them. */
  forgetReplaced({ metadata }: Pick<Change['object'], 'metadata'>): void {
    this.#shown = this.#shown.filter(
      ({ rotation }) => !samePlace(rotation.spec.bundle as Place, metadata),
    )
    for (const { spec } of this.#scene.rotations) {
      if (!samePlace(spec.bundle, metadata)) continue
      for (const target of spec.targets ?? []) this.#holderOf(target).forgetReplaced()
    }
  }

  /** After a restore the certificates of the Secrets are in use, and later ones are not. */
  restored(): void {
    this.#shown = []
    for (const rotation of this.#scene.rotations) {
      for (const target of rotation.spec.targets ?? []) {
        const leaf = this.inSecret(rotation, target)
        if (leaf && target.usage === 'client') this.#holderOf(target).written(leaf, this.#now)
        this.#holderOf(target).forgetReplaced()
      }
    }
  }

  /** Leaf certificates in use that have not expired. */
  live(): Leaf[] {
    const now = this.#now
    const inSecrets = this.#scene.rotations.flatMap((rotation) =>
      (rotation.spec.targets ?? []).flatMap((target) => this.inSecret(rotation, target) ?? []),
    )
    const before = this.#shown.filter(({ until }) => until > now)
    const presented = [...this.#holders.values()].flatMap((holder) => holder.presents(now) ?? [])
    const used = this.isTimeKnown ? [...inSecrets, ...before, ...presented] : inSecrets
    return used.filter(({ certificate }) => certificate.notAfter > now)
  }

  inSecret(rotation: Rotation, { namespace, name }: Place): Leaf | undefined {
    const { api } = this.#scene.cluster
    return this.#leafIn(rotation, api.find('/secrets', name, namespace))
  }

  #holderOf({ namespace, name }: Place): LeafHolder {
    const key = `${namespace}/${name}`
    const known = this.#holders.get(key)
    if (known) return known
    const deliveryMs = between(this.#random, 0, longestDeliveryMs)
    const made = new LeafHolder(deliveryMs, between(this.#random, 0, 300_000))
    this.#holders.set(key, made)
    return made
  }

  #leafIn(rotation: Rotation, secret: Secret | undefined): Leaf | undefined {
    const chain = [...(this.#scene.reader.bundle(secretText(secret, 'tls.crt'))?.values() ?? [])]
    const [certificate, authority] = chain
    if (!certificate || !authority) return undefined
    if (!this.#scene.reader.isIssuedBy(certificate, authority)) return undefined
    return { rotation, certificate, authority: authority.fingerprint }
  }

  get #now(): number {
    return this.#scene.cluster.clock.now()
  }
}
