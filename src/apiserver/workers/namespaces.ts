import type { Logger } from '../../base/log.ts'
import type { ApiObject } from '../kinds/kind-rules.ts'
import { specOf } from '../kinds/rules/fields.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import { create } from '../verbs/create.ts'
import { remove } from '../verbs/delete.ts'
import { objectKey, placeOfKey, prefixOf } from '../verbs/object-key.ts'
import { shownObject } from '../verbs/stored-object.ts'
import { update } from '../verbs/update.ts'
import type { VerbContext } from '../verbs/verb-context.ts'
import { ownWrite } from '../verbs/verb-context.ts'
import { ifThere } from './if-there.ts'
import { KeyedWork } from './keyed-work.ts'

const always = ['default', 'kube-node-lease', 'kube-public', 'kube-system']

/** The namespaces that every cluster has. */
export async function createSystemNamespaces(context: VerbContext): Promise<void> {
  const kind = context.kinds.find('', 'v1', 'namespaces')!
  for (const name of always) {
    if (context.store.get(objectKey(kind, undefined, name))) continue
    await create(context, { kind }, { metadata: { name } }, ownWrite)
  }
}

/** Empties namespaces that are deleted, then lets them go. */
export class NamespaceWorker {
  readonly #context: VerbContext
  readonly #kind: ServedKind
  readonly #work: KeyedWork
  readonly #stop: () => void

  constructor(context: VerbContext, log: Logger) {
    this.#context = context
    this.#kind = context.kinds.find('', 'v1', 'namespaces')!
    this.#work = new KeyedWork((name) => this.#settle(name), context.clock, log)
    const prefix = prefixOf(this.#kind)
    for (const { key } of context.store.range({ prefix })) this.#work.add(key.slice(prefix.length))
    this.#stop = context.store.subscribe(({ key, value }) => {
      if (key.startsWith(prefix)) this.#work.add(key.slice(prefix.length))
      else if (value === undefined) this.#lookAfterRemoval(key)
    })
  }

  async stop(): Promise<void> {
    this.#stop()
    await this.#work.stop()
  }

  #lookAfterRemoval(key: string): void {
    const namespace = placeOfKey(key)?.namespace
    if (namespace !== undefined && this.#ending(namespace)) this.#work.add(namespace)
  }

  #ending(name: string): boolean {
    const stored = this.#context.store.get(objectKey(this.#kind, undefined, name))
    return stored !== undefined && isEnding(shownObject(this.#kind, stored))
  }

  async #settle(name: string): Promise<void> {
    if (!this.#ending(name)) return
    for (const kind of this.#context.kinds.all) {
      if (kind.namespaced && kind.verbs.includes('delete') && !kind.rules?.view) {
        await this.#empty(kind, name)
      }
    }
    if (this.#isEmpty(name)) {
      const target = { kind: this.#kind, name, subresource: 'finalize' }
      await ifThere(update(this.#context, target, withoutFinalizer, ownWrite))
    }
  }

  async #empty(kind: ServedKind, namespace: string): Promise<void> {
    const prefix = prefixOf(kind, namespace)
    for (const { key } of this.#context.store.range({ prefix })) {
      const target = { kind, namespace, name: key.slice(prefix.length) }
      await ifThere(remove(this.#context, target, { dryRun: false }))
    }
  }

  #isEmpty(namespace: string): boolean {
    return this.#context.kinds.all.every(
      (kind) =>
        !kind.namespaced || this.#context.store.count({ prefix: prefixOf(kind, namespace) }) === 0,
    )
  }
}

const isEnding = ({ metadata, ...rest }: ApiObject): boolean => {
  const finalizers = specOf({ metadata, ...rest })['finalizers']
  return (
    metadata.deletionTimestamp !== undefined &&
    Array.isArray(finalizers) &&
    finalizers.includes('kubernetes')
  )
}

function withoutFinalizer(namespace: ApiObject): ApiObject {
  const spec = specOf(namespace)
  const finalizers = Array.isArray(spec['finalizers']) ? spec['finalizers'] : []
  spec['finalizers'] = finalizers.filter((name) => name !== 'kubernetes')
  return namespace
}
