import { sameJson } from '@machinist/core/encoding/json'
import type { ApiObject, WriteContext } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import type { StatusError } from '../status/status-error.ts'
import {
  badRequest,
  conflict,
  invalid,
  modifiedMeanwhile,
  notFound,
} from '../status/status-error.ts'
import type { Stored } from '../store/store.ts'
import { WriteConflict } from '../store/store.ts'
import { storableText } from '../objects/largest-object.ts'
import { isGone } from '../objects/object-end.ts'
import { objectKey } from '../objects/object-key.ts'
import {
  equalsStored,
  orderedMetadata,
  toServedVersion,
  toServedObject,
  encodeStored,
} from '../objects/stored-object.ts'
import { countsGenerations, hasStatus } from './create.ts'
import { checkObject, errorObjectOf } from './object-checks.ts'
import { withSubresource } from './subresource-scope.ts'
import type { Target, VerbContext, WriteOptions } from './verb-context.ts'
import { writeContextOf } from './write-context.ts'
import { serializeWrites } from './serialize-writes.ts'

export type NamedTarget = Target & { readonly name: string }

/** Computes the new object from the current one; called again after a conflict. */
export type ObjectChange = (current: ApiObject) => ApiObject

export interface UpdateOptions extends WriteOptions {
  /** A PUT sends the whole object, so omitted fields are removed; a patch starts from the stored object. */
  readonly whole?: boolean
  /** The change has set managedFields itself. */
  readonly tracked?: boolean
}

/** Updates an existing object: used by PUT, PATCH and the server's workers. */
export function update(
  context: VerbContext,
  target: NamedTarget,
  change: ObjectChange,
  options: UpdateOptions,
): Promise<ApiObject> {
  return serializeWrites(context, target, () => updated(context, target, change, options))
}

async function updated(
  context: VerbContext,
  target: NamedTarget,
  change: ObjectChange,
  options: UpdateOptions,
): Promise<ApiObject> {
  const key = objectKey(target.kind, target.namespace, target.name)
  for (;;) {
    const stored = context.store.get(key)
    if (!stored) throw notFound(errorObjectOf(target, target.name))
    try {
      return await tryUpdate(context, target, stored, change, options)
    } catch (error) {
      if (!(error instanceof WriteConflict)) throw error
    }
  }
}

async function tryUpdate(
  context: VerbContext,
  target: NamedTarget,
  stored: Stored,
  change: ObjectChange,
  options: UpdateOptions,
): Promise<ApiObject> {
  const { kind } = target
  const before = toServedObject(kind, stored)
  const desired = structuredClone(change(structuredClone(before)))
  checkIdentity(target, before, desired, options)
  const writeContext = writeContextOf(context, target, options)
  const after = withoutForbiddenChanges(context, target, { before, desired, writeContext })
  checkObject(context, target, { after, before, writeContext })
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
    return toServedVersion(kind, after, stored.revision)
  }
  const text = options.dryRun ? encodeStored(kind, after) : storableText(kind, stored.key, after)
  const encoded = JSON.parse(text) as ApiObject
  if (options.dryRun) return toServedVersion(kind, encoded, stored.revision)
  if (equalsStored(stored, text)) {
    return toServedVersion(kind, before, stored.revision)
  }
  const { revision } = await store.write(stored.key, text, stored.revision)
  return toServedVersion(kind, encoded, revision)
}

/** Checks that name and namespace match the URL. */
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

/** Checks uid and resourceVersion. */
function checkIdentity(
  target: NamedTarget,
  before: ApiObject,
  desired: ApiObject,
  options: UpdateOptions,
): void {
  checkPlace(target, desired)
  const { name, kind } = target
  const { metadata } = desired
  const errorObject = errorObjectOf(target, name)
  if (options.whole && metadata.uid && metadata.uid !== before.metadata.uid) {
    throw conflict(
      errorObject,
      `StorageError: invalid object, Code: 4, Key: ${objectKey(kind, target.namespace, name)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${before.metadata.uid}`,
    )
  }
  if (!metadata.resourceVersion) {
    if (mustNameVersion(kind)) throw versionRequired(target)
  } else if (metadata.resourceVersion !== before.metadata.resourceVersion) {
    throw conflict(errorObject, modifiedMeanwhile)
  }
}

const mustNameVersion = (kind: ServedKind): boolean =>
  !kind.builtIn || kind.rules?.requiresResourceVersion === true

function versionRequired({ kind, name }: NamedTarget): StatusError {
  const errorObject = { group: kind.group, resource: kind.plural, kind: kind.plural, name }
  return invalid(errorObject, [
    {
      reason: 'FieldValueInvalid',
      message: 'Invalid value: 0x0: must be specified for an update',
      field: 'metadata.resourceVersion',
    },
  ])
}

/** The desired object, with everything reset that this request cannot change. */
function withoutForbiddenChanges(
  context: VerbContext,
  target: Target,
  {
    before,
    desired,
    writeContext,
  }: { before: ApiObject; desired: ApiObject; writeContext: WriteContext },
): ApiObject {
  const { kind } = target
  const scoped = withSubresource(target, before, { ...desired, metadata: kept(before, desired) })
  kind.rules?.prepareForUpdate?.(scoped, before, writeContext)
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

/** The part of an object whose changes increase its generation. */
function countedOf(kind: ServedKind, object: ApiObject): Record<string, unknown> {
  const { metadata: _, status, ...rest } = object
  return hasStatus(kind) || kind.builtIn ? rest : { ...rest, status }
}
