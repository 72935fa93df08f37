import { sameJson } from '@machinist/core/json'
import type { ApiObject, WriteScene } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import type { Refusal } from '../refusal.ts'
import { badRequest, conflict, invalid, modifiedMeanwhile, notFound } from '../refusal.ts'
import type { Stored } from '../store/store.ts'
import { WriteConflict } from '../store/store.ts'
import { countsGenerations, hasStatus } from './create.ts'
import { storableText } from './largest-object.ts'
import { isGone } from './object-end.ts'
import { checkObject, refusedOf } from './object-checks.ts'
import { objectKey } from './object-key.ts'
import { isStored, orderedMetadata, shownAs, shownObject, storedText } from './stored-object.ts'
import { withSubresource } from './subresource-scope.ts'
import type { Target, VerbContext, WriteOptions } from './verb-context.ts'
import { sceneOf } from './write-scene.ts'
import { inTurn } from './write-turns.ts'

export type NamedTarget = Target & { readonly name: string }

/** What the object shall become, given what it is now; called again when somebody else was faster. */
export type Change = (current: ApiObject) => ApiObject

export interface UpdateOptions extends WriteOptions {
  /** A PUT brings a whole object, so that what it leaves out is meant; a patch starts from what is there. */
  readonly whole?: boolean
  /** The object keeps the managedFields that the change gave it. */
  readonly tracked?: boolean
}

/** Changes an object that is there: the one way in which PUT, PATCH and the server's own workers do it. */
export function update(
  context: VerbContext,
  target: NamedTarget,
  change: Change,
  options: UpdateOptions,
): Promise<ApiObject> {
  return inTurn(context, target, () => updated(context, target, change, options))
}

async function updated(
  context: VerbContext,
  target: NamedTarget,
  change: Change,
  options: UpdateOptions,
): Promise<ApiObject> {
  const key = objectKey(target.kind, target.namespace, target.name)
  for (;;) {
    const stored = context.store.get(key)
    if (!stored) throw notFound(refusedOf(target, target.name))
    try {
      return await tried(context, target, stored, change, options)
    } catch (error) {
      if (!(error instanceof WriteConflict)) throw error
    }
  }
}

async function tried(
  context: VerbContext,
  target: NamedTarget,
  stored: Stored,
  change: Change,
  options: UpdateOptions,
): Promise<ApiObject> {
  const { kind } = target
  const before = shownObject(kind, stored)
  const wanted = structuredClone(change(structuredClone(before)))
  checkIdentity(target, before, wanted, options)
  const scene = sceneOf(context, target, options)
  const after = settled(context, target, { before, wanted, scene })
  checkObject(context, target, { after, before, scene })
  options.admit?.(after, before)
  const now = context.clock.now()
  const { fieldManager: manager } = options
  const { subresource } = target
  const final = options.tracked
    ? after
    : context.fields.updated({ kind, before, after, manager, subresource, now })
  return written(context, target, stored, { before, after: final }, options)
}

async function written(
  context: VerbContext,
  { kind }: Target,
  stored: Stored,
  { before, after }: { before: ApiObject; after: ApiObject },
  options: WriteOptions,
): Promise<ApiObject> {
  const { store } = context
  if (isGone(kind, after)) {
    if (!options.dryRun) await store.remove(stored.key, stored.revision)
    return shownAs(kind, after, stored.revision)
  }
  const text = options.dryRun ? storedText(kind, after) : storableText(kind, stored.key, after)
  const shown = JSON.parse(text) as ApiObject
  if (options.dryRun) return shownAs(kind, shown, stored.revision)
  if (isStored(stored, text)) {
    return shownAs(kind, before, stored.revision)
  }
  const { revision } = await store.write(stored.key, text, stored.revision)
  return shownAs(kind, shown, revision)
}

/** Is it about what the URL says? */
export function checkPlace({ name, namespace }: NamedTarget, { metadata }: ApiObject): void {
  if (!metadata.name) {
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    )
  }
  if (metadata.name !== name) {
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${name})`,
    )
  }
  if (metadata.namespace && metadata.namespace !== (namespace ?? '')) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    )
  }
}

/** Is it about this object, and about the version of it that the client knows? */
function checkIdentity(
  target: NamedTarget,
  before: ApiObject,
  wanted: ApiObject,
  options: UpdateOptions,
): void {
  checkPlace(target, wanted)
  const { name, kind } = target
  const { metadata } = wanted
  const refused = refusedOf(target, name)
  if (options.whole && metadata.uid && metadata.uid !== before.metadata.uid) {
    throw conflict(
      refused,
      `StorageError: invalid object, Code: 4, Key: ${objectKey(kind, target.namespace, name)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${before.metadata.uid}`,
    )
  }
  if (!metadata.resourceVersion) {
    if (mustNameVersion(kind)) throw versionRequired(target)
  } else if (metadata.resourceVersion !== before.metadata.resourceVersion) {
    throw conflict(refused, modifiedMeanwhile)
  }
}

const mustNameVersion = (kind: ServedKind): boolean =>
  !kind.builtIn || kind.rules?.versionedUpdate === true

function versionRequired({ kind, name }: NamedTarget): Refusal {
  const refused = { group: kind.group, resource: kind.plural, kind: kind.plural, name }
  return invalid(refused, [
    {
      reason: 'FieldValueInvalid',
      message: 'Invalid value: 0x0: must be specified for an update',
      field: 'metadata.resourceVersion',
    },
  ])
}

/** The wanted object with everything that this request may not touch as it was. */
function settled(
  context: VerbContext,
  target: Target,
  { before, wanted, scene }: { before: ApiObject; wanted: ApiObject; scene: WriteScene },
): ApiObject {
  const { kind } = target
  const scoped = withSubresource(target, before, { ...wanted, metadata: kept(before, wanted) })
  kind.rules?.keep?.(scoped, before, scene)
  kind.rules?.complete?.(scoped)
  const object = context.schemas.of(kind)?.complete(scoped) ?? scoped
  if (countsGenerations(kind) && !sameJson(countedOf(kind, object), countedOf(kind, before))) {
    object.metadata.generation = (before.metadata.generation ?? 0) + 1
  }
  return object
}

function kept({ metadata: old }: ApiObject, { metadata }: ApiObject): ApiObject['metadata'] {
  return orderedMetadata({
    ...metadata,
    namespace: metadata.namespace || old.namespace,
    uid: metadata.uid || old.uid,
    generation: old.generation,
    generateName: metadata.generateName || old.generateName,
    creationTimestamp: old.creationTimestamp,
    deletionTimestamp: old.deletionTimestamp,
    deletionGracePeriodSeconds: old.deletionGracePeriodSeconds,
    managedFields: metadata.managedFields ?? old.managedFields,
  })
}

/** The part of an object whose changes its generation counts. */
function countedOf(kind: ServedKind, object: ApiObject): Record<string, unknown> {
  const { metadata: _, status, ...rest } = object
  return hasStatus(kind) || kind.builtIn ? rest : { ...rest, status }
}
