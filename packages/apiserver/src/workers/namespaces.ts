import type { Logger } from '@machinist/core/log'
import type { Condition } from '@machinist/core/objects/resource'
import { timestamp } from '@machinist/core/timestamp'
import type { ApiObject } from '../kinds/kind-rules.ts'
import { specOf, statusOf } from '../kinds/fields.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import { create } from '../verbs/create.ts'
import { remove } from '../verbs/delete.ts'
import { objectKey, placeOfKey, prefixOf } from '../objects/object-key.ts'
import { toServedObject } from '../objects/stored-object.ts'
import { update } from '../verbs/update.ts'
import type { VerbContext } from '../verbs/verb-context.ts'
import { ownWrite } from '../verbs/verb-context.ts'
import { ignoreMissing } from './ignore-missing.ts'
import { KeyedWork } from './keyed-work.ts'
import type { NamespaceRemains } from './namespace-conditions.ts'
import { namespaceConditions } from './namespace-conditions.ts'

const always = ['default', 'kube-node-lease', 'kube-public', 'kube-system']

/** Creates the system namespaces. */
export async function createSystemNamespaces(context: VerbContext): Promise<void> {
  const kind = context.kinds.find('', 'v1', 'namespaces')!
  for (const name of always) {
    if (context.store.get(objectKey(kind, undefined, name))) continue
    await create(context, { kind }, { metadata: { name } }, ownWrite)
  }
}

/** Deletes the content of terminating namespaces, then removes them. */
export class NamespaceWorker {
  readonly #context: VerbContext
  readonly #kind: ServedKind
  readonly #work: KeyedWork
  readonly #stop: () => void

  constructor(context: VerbContext, log: Logger) {
    this.#context = context
    this.#kind = context.kinds.find('', 'v1', 'namespaces')!
    this.#work = new KeyedWork((name) => this.#reconcile(name), context.clock, log)
    const prefix = prefixOf(this.#kind)
    for (const { key } of context.store.range({ prefix })) this.#work.add(key.slice(prefix.length))
    this.#stop = context.store.subscribe(({ key, value }) => {
      if (key.startsWith(prefix)) this.#work.add(key.slice(prefix.length))
      else if (value === undefined) this.#onRemoval(key)
    })
  }

  async stop(): Promise<void> {
    this.#stop()
    await this.#work.stop()
  }

  #onRemoval(key: string): void {
    const namespace = placeOfKey(key)?.namespace
    if (namespace !== undefined && this.#onDeletion(namespace)) this.#work.add(namespace)
  }

  #onDeletion(name: string): boolean {
    const stored = this.#context.store.get(objectKey(this.#kind, undefined, name))
    return stored !== undefined && isEnding(toServedObject(this.#kind, stored))
  }

  async #reconcile(name: string): Promise<void> {
    if (!this.#onDeletion(name)) return
    const kinds = this.#inside()
    for (const kind of kinds)
      if (kind.verbs.includes('delete')) await this.#deleteContent(kind, name)
    const remains = this.#remains(kinds, name)
    const target = { kind: this.#kind, name }
    if (remains.resources.size === 0) {
      const finalize = { ...target, subresource: 'finalize' }
      await ignoreMissing(update(this.#context, finalize, withoutFinalizer, ownWrite))
      return
    }
    const now = timestamp(this.#context.clock.now())
    const setConditions = (namespace: ApiObject): ApiObject => withRemains(namespace, remains, now)
    await ignoreMissing(
      update(this.#context, { ...target, subresource: 'status' }, setConditions, ownWrite),
    )
  }

  /** Namespaced kinds, one version of each. */
  #inside(): ServedKind[] {
    const stored = this.#context.kinds.all.filter((kind) => kind.namespaced && !kind.rules?.view)
    return [...new Map(stored.map((kind) => [prefixOf(kind), kind])).values()]
  }

  async #deleteContent(kind: ServedKind, namespace: string): Promise<void> {
    const prefix = prefixOf(kind, namespace)
    for (const { key } of this.#context.store.range({ prefix })) {
      const target = { kind, namespace, name: key.slice(prefix.length) }
      await ignoreMissing(
        remove(this.#context, target, { dryRun: false, propagation: 'Background' }),
      )
    }
  }

  #remains(kinds: readonly ServedKind[], namespace: string): NamespaceRemains {
    const resources = new Map<string, number>()
    const finalizers = new Map<string, number>()
    for (const kind of kinds) {
      const left = this.#context.store.range({ prefix: prefixOf(kind, namespace) })
      if (left.length > 0) resources.set(`${kind.plural}.${kind.group}`, left.length)
      for (const name of left.flatMap(({ value }) => finalizersIn(value))) {
        finalizers.set(name, (finalizers.get(name) ?? 0) + 1)
      }
    }
    return { resources, finalizers }
  }
}

const finalizersIn = (value: string): string[] =>
  (JSON.parse(value) as ApiObject).metadata.finalizers ?? []

function withRemains(namespace: ApiObject, remains: NamespaceRemains, now: string): ApiObject {
  const status = statusOf(namespace)
  const before = Array.isArray(status['conditions']) ? (status['conditions'] as Condition[]) : []
  return {
    ...namespace,
    status: { ...status, conditions: namespaceConditions(before, remains, now) },
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
