import type { KubeObject } from '@machinist/core/objects/resource'
import type { Stored } from '../store/store.ts'
import type { WatchView } from './view.ts'

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** An object at a revision, with derived data that is computed on first use and shared. */
export class CachedObject {
  readonly key: string
  readonly revision: number
  readonly #value: string
  #object: KubeObject | undefined
  #lines: Map<WatchView, Map<ChangeType, Buffer>> | undefined

  constructor({ key, value, revision }: Stored) {
    this.key = key
    this.revision = revision
    this.#value = value
  }

  /** With its resourceVersion. Shared: do not modify. */
  get object(): KubeObject {
    this.#object ??= withVersion(JSON.parse(this.#value) as KubeObject, this.revision)
    return this.#object
  }

  /** The watch line for this object. */
  line(type: ChangeType, view: WatchView): Buffer {
    this.#lines ??= new Map()
    let lines = this.#lines.get(view)
    if (!lines) this.#lines.set(view, (lines = new Map()))
    let line = lines.get(type)
    if (!line) lines.set(type, (line = eventLine(type, view.object(this.object))))
    return line
  }
}

/** A watch line for an object that is already JSON. */
export const eventLine = (type: string, object: string): Buffer =>
  Buffer.from(`{"type":"${type}","object":${object}}\n`)

function withVersion(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }
}
