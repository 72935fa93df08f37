import type { Logger } from '@machinist/core/log'
import { sameJson } from '@machinist/core/json'
import { kindsOf } from '../kinds/custom-kinds.ts'
import type { ApiObject } from '../kinds/kind-rules.ts'
import { cleanupFinalizer } from '../kinds/rules/custom-resource-definition.ts'
import { specOf, statusOf } from '../kinds/rules/fields.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import { remove } from '../verbs/delete.ts'
import { placeOfKey, prefixOf } from '../verbs/object-key.ts'
import { shownObject } from '../verbs/stored-object.ts'
import type { Change } from '../verbs/update.ts'
import { update } from '../verbs/update.ts'
import type { VerbContext } from '../verbs/verb-context.ts'
import { ownWrite, timestamp } from '../verbs/verb-context.ts'
import type { Acceptance, DefinedNames } from './definition/accepted-names.ts'
import { acceptedNames, noNames } from './definition/accepted-names.ts'
import {
  isEstablished,
  withAcceptance,
  withDeletionInProgress,
} from './definition/definition-status.ts'
import { ifThere } from './if-there.ts'
import { KeyedWork } from './keyed-work.ts'

/** Serves what CustomResourceDefinitions define, says so in their status, and empties those that are deleted. */
export class DefinitionWorker {
  readonly #context: VerbContext
  readonly #kind: ServedKind
  readonly #prefix: string
  /** Which names each definition has, by key; known here before its status says so. */
  readonly #known = new Map<string, Known>()
  readonly #work: KeyedWork
  readonly #stop: () => void

  constructor(context: VerbContext, log: Logger) {
    this.#context = context
    this.#kind = context.kinds.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions')!
    this.#prefix = prefixOf(this.#kind)
    this.#work = new KeyedWork((key) => this.#settle(key), context.clock, log)
    const present = context.store.range({ prefix: this.#prefix })
    // Names that were given stay with whom they were given to, in whatever order the definitions come.
    for (const stored of present) {
      const definition = shownObject(this.#kind, stored)
      this.#known.set(stored.key, { group: groupOf(definition), names: namesHad(definition) })
    }
    for (const { key } of present) this.#follow(key)
    this.#stop = context.store.subscribe(({ key, before }) => {
      if (key.startsWith(this.#prefix)) this.#follow(key, before?.value)
      else this.#lookAfterRemoval(key)
    })
  }

  async stop(): Promise<void> {
    this.#stop()
    await this.#work.stop()
  }

  /** At once, so that whoever made a definition can use it with the next request. */
  #follow(key: string, before?: string): void {
    const definition = this.#read(key)
    if (!definition) return this.#forget(key, before)
    const group = groupOf(definition)
    const had = this.#known.get(key)?.names ?? namesHad(definition)
    const others = [...this.#known].filter(
      ([other, known]) => other !== key && known.group === group,
    )
    const asked = specOf(definition)['names'] as DefinedNames
    const acceptance = acceptedNames(
      asked,
      had,
      others.map(([, { names }]) => names),
    )
    this.#known.set(key, { group, ...acceptance })
    const isServed = isEstablished(definition) || !acceptance.conflict
    const served = isServed ? servedBy(withNames(definition, acceptance.names)) : []
    this.#context.kinds.replace(group, asked.plural, served)
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

  /** Names may have become free for those that wait for them. */
  #reconsider(group: string, except: string): void {
    for (const [key, known] of this.#known) {
      if (key !== except && known.group === group && known.conflict) this.#follow(key)
    }
  }

  /** The last object of a definition that is being deleted may have gone. */
  #lookAfterRemoval(key: string): void {
    const place = placeOfKey(key)
    if (!place) return
    const definition = `${this.#prefix}${place.plural}.${place.group}`
    if (this.#known.has(definition)) this.#work.add(definition)
  }

  async #settle(key: string): Promise<void> {
    const definition = this.#read(key)
    const known = this.#known.get(key)
    if (!definition || !known) return
    const { deletionTimestamp, finalizers = [] } = definition.metadata
    const now = timestamp(this.#context.clock.now())
    if (deletionTimestamp === undefined) {
      await this.#tell(definition, (current) => withAcceptance(current, known, now))
    } else if (finalizers.includes(cleanupFinalizer)) {
      await this.#empty(definition, now)
    }
  }

  /** Nothing new is made meanwhile; what is there goes first, and may take its time. */
  async #empty(definition: ApiObject, now: string): Promise<void> {
    const { plural } = specOf(definition)['names'] as DefinedNames
    const kind = this.#context.kinds.findResource(groupOf(definition), plural)
    const prefix = kind && prefixOf(kind)
    for (const { key } of prefix ? this.#context.store.range({ prefix }) : []) {
      const place = placeOfKey(key)
      if (kind && place) await ifThere(remove(this.#context, { kind, ...place }, { dryRun: false }))
    }
    if (prefix && this.#context.store.count({ prefix }) > 0) {
      await this.#tell(definition, (current) => withDeletionInProgress(current, now))
      return
    }
    const { name } = definition.metadata
    await ifThere(update(this.#context, { kind: this.#kind, name }, withoutFinalizer, ownWrite))
  }

  async #tell({ metadata: { name } }: ApiObject, change: Change): Promise<void> {
    const target = { kind: this.#kind, name, subresource: 'status' }
    await ifThere(update(this.#context, target, change, ownWrite))
  }

  #read(key: string): ApiObject | undefined {
    const stored = this.#context.store.get(key)
    return stored && shownObject(this.#kind, stored)
  }
}

interface Known extends Acceptance {
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
