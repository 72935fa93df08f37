import type { Secret } from '@machinist/kube/kinds/core'
import type { Change } from '../../api/memory-api.ts'
import { textOf } from '../../api/wire.ts'
import type { TrustScene } from '../scene.ts'
import { secretText } from '../seen-certificates.ts'

/** The PEM marker of a private key, and its base64 encodings at each offset. */
const words = ['PRIVATE KEY', 'UFJJVkFURSBLRV', 'BSSVZBVEUgS0VZ', 'QUklWQVRFIEtFW']
/** This many characters identify a key. */
const markLength = 32
/** The first PEM line that contains only the private exponent. */
const privateLine = 5

/** Private keys are in their Secrets and nowhere else. */
export class PrivateKeysCheck {
  readonly #scene: TrustScene
  /** A part of each key in PEM, and the Secret it belongs to. */
  readonly #marks = new Map<string, string>()

  constructor(scene: TrustScene) {
    this.#scene = scene
  }

  look({ resource, object, actor, type }: Change): void {
    if (type === 'DELETED' || actor === 'user' || actor === 'kubelet') return
    if (resource === '/secrets') this.#secret(object)
    else if (resource !== 'coordination.k8s.io/leases') {
      this.checkText(textOf(object), () => `${resource} ${object.metadata.name} by ${actor}`)
    }
  }

  /** Checks a text that was written or logged. */
  checkText(text: string, where: () => string): void {
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
