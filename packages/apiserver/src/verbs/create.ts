import { nameSuffix } from '@machinist/core/random'
import { timestamp } from '@machinist/core/timestamp'
import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import { alreadyExists, badRequest, invalid, StatusError } from '../status/status-error.ts'
import { WriteConflict } from '../store/store.ts'
import { storableText } from '../objects/largest-object.ts'
import { nameRequired } from '../objects/metadata-check.ts'
import { objectKey } from '../objects/object-key.ts'
import { newUid } from '../objects/object-uid.ts'
import { orderedMetadata, toServedVersion } from '../objects/stored-object.ts'
import { checkNamespace } from './namespace-lifecycle.ts'
import { checkObject, errorObjectOf } from './object-checks.ts'
import type { Target, VerbContext, WriteOptions } from './verb-context.ts'
import { writeContextOf } from './write-context.ts'
import { serializeWrites } from './serialize-writes.ts'

/** Attempts to find a free generated name. */
const tries = 8
const longestBase = 63 - 5

export interface CreateOptions extends WriteOptions {
  /** The object has its managedFields already. */
  readonly tracked?: boolean
}

export function create(
  context: VerbContext,
  target: Target,
  sent: ApiObject,
  options: CreateOptions,
): Promise<ApiObject> {
  return serializeWrites(context, target, () => made(context, target, sent, options))
}

async function made(
  context: VerbContext,
  target: Target,
  sent: ApiObject,
  options: CreateOptions,
): Promise<ApiObject> {
  const { generateName } = sent.metadata
  if (target.kind.terminating) throw noLongerMade(target)
  for (let attempt = 1; ; attempt++) {
    const object = begun(context, target, sent, options)
    checkNamespace(context, target, object.metadata.name)
    checkObject(context, target, {
      after: object,
      writeContext: writeContextOf(context, target, options),
    })
    options.admit?.(object, undefined)
    try {
      return await written(context, target, object, options)
    } catch (error) {
      if (!(error instanceof WriteConflict)) throw error
      if (sent.metadata.name || !generateName || attempt === tries) {
        throw alreadyExists(errorObjectOf(target, object.metadata.name))
      }
    }
  }
}

/** Records field owners before the server adds its own fields, which have no owner. */
function begun(
  context: VerbContext,
  target: Target,
  sent: ApiObject,
  options: CreateOptions,
): ApiObject {
  const { kind } = target
  const object = structuredClone(sent)
  object.metadata = freshMetadata(context, target, object)
  if (hasStatus(kind) && kind.rules?.keepsStatusOnCreate !== true) delete object['status']
  kind.rules?.complete?.(object)
  const completed = context.schemas.of(kind)?.complete(object) ?? object
  const tracked = options.tracked ? completed : withManager(context, target, completed, options)
  const fresh = structuredClone(tracked)
  kind.rules?.prepareForCreate?.(fresh, writeContextOf(context, target, options))
  kind.rules?.complete?.(fresh)
  return fresh
}

const noLongerMade = ({ kind: { group, plural } }: Target): StatusError =>
  new StatusError(
    405,
    'MethodNotAllowed',
    'create not allowed while custom resource definition is terminating',
    { group, kind: plural },
  )

function freshMetadata(
  context: VerbContext,
  target: Target,
  { metadata }: ApiObject,
): ApiObject['metadata'] {
  const { kind, namespace } = target
  if (metadata.resourceVersion) {
    throw new StatusError(500, '', 'resourceVersion should not be set on objects to be created')
  }
  if (metadata.namespace !== undefined && metadata.namespace !== (namespace ?? '')) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    )
  }
  const name = metadata.name || generatedName(context, metadata.generateName)
  if (!name) throw invalid(errorObjectOf(target, ''), [nameRequired])
  return orderedMetadata({
    ...metadata,
    name,
    namespace: kind.namespaced ? namespace : undefined,
    uid: newUid(context.random),
    generation: countsGenerations(kind) ? 1 : metadata.generation,
    creationTimestamp: timestamp(context.clock.now()),
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
  })
}

export const countsGenerations = (kind: ServedKind): boolean =>
  !kind.builtIn || kind.rules?.generation === true

export const hasStatus = (kind: ServedKind): boolean =>
  kind.subresources.some(({ name }) => name === 'status')

function generatedName({ random }: VerbContext, base: string | undefined): string {
  return base ? base.slice(0, longestBase) + nameSuffix(random) : ''
}

function withManager(
  context: VerbContext,
  { kind, subresource }: Target,
  after: ApiObject,
  { fieldManager: manager }: WriteOptions,
): ApiObject {
  const now = context.clock.now()
  return context.fields.updated({ kind, before: undefined, after, manager, subresource, now })
}

async function written(
  context: VerbContext,
  { kind, namespace }: Target,
  object: ApiObject,
  { dryRun }: WriteOptions,
): Promise<ApiObject> {
  const key = objectKey(kind, namespace, object.metadata.name)
  if (dryRun) {
    const present = context.store.get(key)
    if (present) throw new WriteConflict(key, present)
    return toServedVersion(kind, object)
  }
  const text = storableText(kind, key, object)
  const { revision } = await context.store.write(key, text, 0)
  return toServedVersion(kind, JSON.parse(text) as ApiObject, revision)
}
