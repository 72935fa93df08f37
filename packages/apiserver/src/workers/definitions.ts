import type { Logger } from '@machinist/core/log'
import { sameJson } from '@machinist/core/encoding/json'
import { timestamp } from '@machinist/core/timestamp'
import { kindsOf } from '../kinds/catalog/custom-kinds.ts'
import type { ApiObject } from '../kinds/kind-rules.ts'
import { cleanupFinalizer } from '../kinds/rules/custom-resource-definition.ts'
import { specOf, statusOf } from '../kinds/fields.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import { remove } from '../verbs/delete.ts'
import { placeOfKey, prefixOf } from '../objects/object-key.ts'
import { toServedObject } from '../objects/stored-object.ts'
import type { ObjectChange } from '../verbs/update.ts'
import { update } from '../verbs/update.ts'
import type { VerbContext } from '../verbs/verb-context.ts'
import { ownWrite } from '../verbs/verb-context.ts'
import type { NameAcceptance, DefinedNames } from './definition/accepted-names.ts'
import { acceptedNames, noNames } from './definition/accepted-names.ts'
import {
  isEstablished,
  withAcceptance,
  withDeletionInProgress,
} from './definition/definition-status.ts'
import { ignoreMissing } from './ignore-missing.ts'
import { KeyedWork } from './keyed-work.ts'

/** Serves the kinds of CustomResourceDefinitions, sets their status, and deletes the objects of terminating ones. */
export class DefinitionWorker {
  readonly #context: VerbContext
  readonly #kind: ServedKind
  readonly #prefix: string
  /** The names of each CRD by key; known before its status is written. */
  readonly #known = new Map<string, Known>()
  readonly #work: KeyedWork
  readonly #stop: () => void

  constructor(context: VerbContext, log: Logger) {
    this.#context = context
    this.#kind = context.kinds.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions')!
    this.#prefix = prefixOf(this.#kind)
    this.#work = new KeyedWork((key) => this.#reconcile(key), context.clock, log)
    const present = context.store.range({ prefix: this.#prefix })
    // Accepted names stay with their CRD, regardless of the order of CRDs.
    for (const stored of present) {
      const definition = toServedObject(this.#kind, stored)
      this.#known.set(stored.key, { group: groupOf(definition), names: namesHad(definition) })
    }
    for (const { key } of present) this.#onChange(key)
    this.#stop = context.store.subscribe(({ key, before }) => {
      if (key.startsWith(this.#prefix)) this.#onChange(key, before?.value)
      else this.#onRemoval(key)
    })
  }

  async stop(): Promise<void> {
    this.#stop()
    await this.#work.stop()
  }

  /** Synchronous, so that the creator of a CRD can use it with the next request. */
  #onChange(key: string, before?: string): void {
    const definition = this.#read(key)
    if (!definition) return this.#forget(key, before)
    const group = groupOf(definition)
    const had = this.#known.get(key)?.names ?? namesHad(definition)
    const others = [...this.#known].filter(
      ([other, known]) => other !== key && known.group === group,
    )
    const requested = specOf(definition)['names'] as DefinedNames
    const acceptance = acceptedNames(
      requested,
      had,
      others.map(([, { names }]) => names),
    )
    this.#known.set(key, { group, ...acceptance })
    const isServed = isEstablished(definition) || !acceptance.conflict
    const served = isServed ? servedBy(withNames(definition, acceptance.names)) : []
    this.#context.kinds.replace(group, requested.plural, served)
    this.#work.add(key)
    if (!sameJson(had, acceptance.names)) this.#reconsider(group, key)
  }

  #forget(key: string, before: string | undefined): void {
    this.#known.delete(key)
    if (before === undefined) return
    const old = JSON.parse(before) as ApiObject
    const { plural } = specOf(old)['names'] as DefinedNames
    this.#context.kinds.replace(groupOf(old), plural, [])
    this.#reconsider(groupOf(old), key)
  }

  /** Names may have become free for CRDs with conflicts. */
  #reconsider(group: string, except: string): void {
    for (const [key, known] of this.#known) {
      if (key !== except && known.group === group && known.conflict) this.#onChange(key)
    }
  }

  /** The last object of a terminating CRD may be gone. */
  #onRemoval(key: string): void {
    const place = placeOfKey(key)
    if (!place) return
    const definition = `${this.#prefix}${place.plural}.${place.group}`
    if (this.#known.has(definition)) this.#work.add(definition)
  }

  async #reconcile(key: string): Promise<void> {
    const definition = this.#read(key)
    const known = this.#known.get(key)
    if (!definition || !known) return
    const { deletionTimestamp, finalizers = [] } = definition.metadata
    const now = timestamp(this.#context.clock.now())
    if (deletionTimestamp === undefined) {
      await this.#updateStatus(definition, (current) => withAcceptance(current, known, now))
    } else if (finalizers.includes(cleanupFinalizer)) {
      await this.#deleteObjects(definition, now)
    }
  }

  /** No new objects can be created; existing ones are deleted first. */
  async #deleteObjects(definition: ApiObject, now: string): Promise<void> {
    const { plural } = specOf(definition)['names'] as DefinedNames
    const kind = this.#context.kinds.findResource(groupOf(definition), plural)
    const prefix = kind && prefixOf(kind)
    for (const { key } of prefix ? this.#context.store.range({ prefix }) : []) {
      const place = placeOfKey(key)
      if (kind && place)
        await ignoreMissing(remove(this.#context, { kind, ...place }, { dryRun: false }))
    }
    if (prefix && this.#context.store.count({ prefix }) > 0) {
      await this.#updateStatus(definition, (current) => withDeletionInProgress(current, now))
      return
    }
    const { name } = definition.metadata
    await ignoreMissing(
      update(this.#context, { kind: this.#kind, name }, withoutFinalizer, ownWrite),
    )
  }

  async #updateStatus({ metadata: { name } }: ApiObject, change: ObjectChange): Promise<void> {
    const target = { kind: this.#kind, name, subresource: 'status' }
    await ignoreMissing(update(this.#context, target, change, ownWrite))
  }

  #read(key: string): ApiObject | undefined {
    const stored = this.#context.store.get(key)
    return stored && toServedObject(this.#kind, stored)
  }
}

interface Known extends NameAcceptance {
  readonly group: string
}

function servedBy(definition: ApiObject): ServedKind[] {
  const kinds = kindsOf(definition)
  if (definition.metadata.deletionTimestamp === undefined) return kinds
  return kinds.map((kind) => Object.assign({}, kind, { terminating: true }))
}

const groupOf = (definition: ApiObject): string => String(specOf(definition)['group'])

const namesHad = (definition: ApiObject): DefinedNames =>
  (statusOf(definition)['acceptedNames'] as DefinedNames | undefined) ?? noNames

const withNames = (definition: ApiObject, names: DefinedNames): ApiObject => ({
  ...definition,
  spec: { ...specOf(definition), names },
})

function withoutFinalizer(definition: ApiObject): ApiObject {
  const { metadata } = definition
  metadata.finalizers = metadata.finalizers?.filter((name) => name !== cleanupFinalizer)
  return definition
}
