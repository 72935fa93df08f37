import type { Condition } from '../../base/resource.ts'
import type { Logger } from '../../base/log.ts'
import { kindsOf } from '../kinds/custom-kinds.ts'
import type { ApiObject } from '../kinds/kind-rules.ts'
import { cleanupFinalizer, conditionsOf } from '../kinds/rules/custom-resource-definition.ts'
import { specOf, statusOf } from '../kinds/rules/fields.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import { remove } from '../verbs/delete.ts'
import { placeOfKey, prefixOf } from '../verbs/object-key.ts'
import { shownObject } from '../verbs/stored-object.ts'
import { update } from '../verbs/update.ts'
import type { VerbContext } from '../verbs/verb-context.ts'
import { ownWrite, timestamp } from '../verbs/verb-context.ts'
import { ifThere } from './if-there.ts'
import { KeyedWork } from './keyed-work.ts'

/** Serves what CustomResourceDefinitions define, says so in their status, and empties those that are deleted. */
export class DefinitionWorker {
  readonly #context: VerbContext
  readonly #kind: ServedKind
  readonly #work: KeyedWork
  readonly #stop: () => void

  constructor(context: VerbContext, log: Logger) {
    this.#context = context
    this.#kind = context.kinds.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions')!
    this.#work = new KeyedWork((key) => this.#settle(key), context.clock, log)
    const prefix = prefixOf(this.#kind)
    for (const { key } of context.store.range({ prefix })) this.#follow(key)
    this.#stop = context.store.subscribe(({ key, before }) => {
      if (key.startsWith(prefix)) this.#follow(key, before?.value)
      else this.#lookAfterRemoval(key)
    })
  }

  async stop(): Promise<void> {
    this.#stop()
    await this.#work.stop()
  }

  /** At once, so that whoever made a definition can use it with the next request. */
  #follow(key: string, before?: string): void {
    const stored = this.#context.store.get(key)
    const definition = stored ? shownObject(this.#kind, stored) : undefined
    const old = definition ?? (before === undefined ? undefined : (JSON.parse(before) as ApiObject))
    if (!old) return
    const { group, names } = specOf(old) as { group: string; names: { plural: string } }
    this.#context.kinds.replace(group, names.plural, definition ? kindsOf(definition) : [])
    if (definition) this.#work.add(key)
  }

  /** The last object of a definition that is being deleted may have gone. */
  #lookAfterRemoval(key: string): void {
    const place = placeOfKey(key)
    if (!place) return
    const definition = `${prefixOf(this.#kind)}${place.plural}.${place.group}`
    if (this.#context.store.get(definition)) this.#work.add(definition)
  }

  async #settle(key: string): Promise<void> {
    const stored = this.#context.store.get(key)
    if (!stored) return
    const definition = shownObject(this.#kind, stored)
    if (definition.metadata.deletionTimestamp === undefined) await this.#establish(definition)
    else if (definition.metadata.finalizers?.includes(cleanupFinalizer))
      await this.#empty(definition)
  }

  async #establish({ metadata: { name } }: ApiObject): Promise<void> {
    const now = timestamp(this.#context.clock.now())
    const target = { kind: this.#kind, name, subresource: 'status' }
    await ifThere(
      update(this.#context, target, (definition) => established(definition, now), ownWrite),
    )
  }

  async #empty({ metadata: { name }, ...rest }: ApiObject): Promise<void> {
    const { group, names } = specOf({ metadata: { name }, ...rest }) as {
      group: string
      names: { plural: string }
    }
    const kind = this.#context.kinds.findResource(group, names.plural)
    const left = kind ? this.#context.store.range({ prefix: prefixOf(kind) }) : []
    for (const { key } of left) {
      const place = placeOfKey(key)
      if (kind && place) await ifThere(remove(this.#context, { kind, ...place }, { dryRun: false }))
    }
    if (kind && this.#context.store.count({ prefix: prefixOf(kind) }) > 0) return
    await ifThere(update(this.#context, { kind: this.#kind, name }, withoutFinalizer, ownWrite))
  }
}

function established(definition: ApiObject, now: string): ApiObject {
  const names: Condition = {
    type: 'NamesAccepted',
    status: 'True',
    lastTransitionTime: now,
    reason: 'NoConflicts',
    message: 'no conflicts found',
  }
  const ready: Condition = {
    type: 'Established',
    status: 'True',
    lastTransitionTime: now,
    reason: 'InitialNamesAccepted',
    message: 'the initial names have been accepted',
  }
  const present = conditionsOf(definition)
  const missing = [names, ready].filter(({ type }) => !present.some((each) => each.type === type))
  const status = statusOf(definition)
  status['acceptedNames'] = specOf(definition)['names']
  status['conditions'] = [...present, ...missing]
  return definition
}

function withoutFinalizer(definition: ApiObject): ApiObject {
  const { metadata } = definition
  metadata.finalizers = metadata.finalizers?.filter((name) => name !== cleanupFinalizer)
  return definition
}
