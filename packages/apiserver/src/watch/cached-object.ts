import type { KubeObject } from '@machinist/core/resource'
import type { Stored } from '../store/store.ts'
import type { View } from './view.ts'

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** An object as it was at some revision, with all that costs time to make from it: made on first use, and then shared. */
export class CachedObject {
  readonly key: string
  readonly revision: number
  readonly #value: string
  #object: KubeObject | undefined
  #lines: Map<View, Map<ChangeType, Buffer>> | undefined

  constructor({ key, value, revision }: Stored) {
    this.key = key
    this.revision = revision
    this.#value = value
  }

  /** With its resourceVersion. Everybody gets the same one, so nobody may change it. */
  get object(): KubeObject {
    this.#object ??= withVersion(JSON.parse(this.#value) as KubeObject, this.revision)
    return this.#object
  }

  /** The line of a watch that tells of this object. */
  line(type: ChangeType, view: View): Buffer {
    this.#lines ??= new Map()
    let lines = this.#lines.get(view)
    if (!lines) this.#lines.set(view, (lines = new Map()))
    let line = lines.get(type)
    if (!line) lines.set(type, (line = eventLine(type, view.object(this.object))))
    return line
  }
}

/** One line of a watch's answer, from an object that is JSON text already. */
export const eventLine = (type: string, object: string): Buffer =>
  Buffer.from(`{"type":"${type}","object":${object}}\n`)

function withVersion(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }
}
