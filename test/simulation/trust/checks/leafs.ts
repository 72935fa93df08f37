import type { Random } from '@machinist/core/random'
import { between, seededRandom } from '@machinist/core/random'
import type { Secret } from '@machinist/kube/kinds/core'
import type { Change } from '../../api/memory-api.ts'
import { LeafHolder } from './leaf-holder.ts'
import type { Place, Rotation } from '../rotations.ts'
import { samePlace } from '../rotations.ts'
import type { Scene } from '../scene.ts'
import type { SeenCertificate } from '../seen-certificates.ts'
import { secretText } from '../seen-certificates.ts'

/** Longer, and `leafSettle` would have to be longer, too. */
const longestDeliveryMs = 50_000

/** A certificate that somebody shows, or has just stopped showing. */
export interface Leaf {
  readonly rotation: Rotation
  readonly certificate: SeenCertificate
  /** Fingerprint of who signed it. */
  readonly authority: string
}

interface Shown extends Leaf {
  /** When those who showed it have the next one. */
  readonly until: number
}

/**
 * The certificates that are in use: those in target Secrets that have not ended; of servers, each one's predecessor for
 * `leafSettle`; of clients, what their holders present.
 */
export class Leafs {
  readonly #scene: Scene
  readonly #random: Random
  /** Of clients, by Secret. */
  readonly #holders = new Map<string, LeafHolder>()
  #shown: Shown[] = []
  /** Whether the signer can tell for how long something has not been in use. */
  isTimeKnown = true

  constructor(scene: Scene) {
    this.#scene = scene
    this.#random = seededRandom(scene.cluster.seed)
  }

  /** The rotation whose target this Secret is, with what was signed for it; tells who uses what from now on. */
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
    // It was replaced when its successor was made: that may have been on its way for a while.
    const replaced = Math.min(now, is ? is.certificate.notBefore + 1000 : now)
    this.#shown = this.#shown.filter(({ until }) => until > now)
    if (was) this.#shown.push({ ...was, until: replaced + rotation.leafSettleMs })
    return is
  }

  /** Somebody took the bundle away: of what was replaced a moment ago nobody may know any more. */
  forgetReplaced({ metadata }: Pick<Change['object'], 'metadata'>): void {
    this.#shown = this.#shown.filter(
      ({ rotation }) => !samePlace(rotation.spec.bundle as Place, metadata),
    )
    for (const { spec } of this.#scene.rotations) {
      if (!samePlace(spec.bundle, metadata)) continue
      for (const target of spec.targets ?? []) this.#holderOf(target).forgetReplaced()
    }
  }

  /** The API was restored: what is in the Secrets is delivered again, and what came after the backup is not in use any more. */
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

  /** Leafs that have not ended. */
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
