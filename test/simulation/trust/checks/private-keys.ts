import type { Secret } from '@machinist/kube/kinds/core'
import type { Change } from '../../api/memory-api.ts'
import { textOf } from '../../api/wire.ts'
import type { Scene } from '../scene.ts'
import { secretText } from '../seen-certificates.ts'

/** How a private key begins and ends in PEM, and the same in base64, wherever that begins. */
const words = ['PRIVATE KEY', 'UFJJVkFURSBLRV', 'BSSVZBVEUgS0VZ', 'QUklWQVRFIEtFW']
/** So much of a key is in no other one. */
const markLength = 32
/** The first one with nothing in it but the private exponent. */
const privateLine = 5

/** Private keys are in their Secrets and nowhere else. */
export class PrivateKeysCheck {
  readonly #scene: Scene
  /** A piece of each key, as it is in PEM, and where it belongs. */
  readonly #marks = new Map<string, string>()

  constructor(scene: Scene) {
    this.#scene = scene
  }

  look({ resource, object, actor, type }: Change): void {
    if (type === 'DELETED' || actor === 'user' || actor === 'kubelet') return
    if (resource === '/secrets') this.#secret(object)
    else if (resource !== 'coordination.k8s.io/leases') {
      this.said(textOf(object), () => `${resource} ${object.metadata.name} by ${actor}`)
    }
  }

  /** Somebody wrote or logged this. */
  said(text: string, where: () => string): void {
    for (const mark of [...words, ...this.#marks.keys()]) {
      if (text.includes(mark)) return this.#found(where())
    }
  }

  #secret({ metadata, data = {} }: Secret): void {
    const place = `${metadata.namespace}/${metadata.name}`
    for (const key of Object.keys(data)) {
      const text = secretText({ data }, key) ?? ''
      if (!text.includes('PRIVATE KEY')) {
        for (const [mark, home] of this.#marks) {
          if (text.includes(mark)) this.#found(`${key} of ${home}`)
        }
        continue
      }
      const mark = text.split('\n').at(privateLine)?.slice(0, markLength)
      if (!mark || mark.length < markLength) continue
      const home = this.#marks.get(mark)
      if (home !== undefined && home !== place) this.#found(`Secret ${place}, and it is ${home}'s`)
      this.#marks.set(mark, place)
    }
  }

  #found(where: string): void {
    this.#scene.cluster.violated('private keys are in their Secrets only', `one is in ${where}`)
  }
}
