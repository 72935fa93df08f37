import { timestamp } from '@machinist/core/timestamp'
import type { ApiObject } from '../kinds/kind-rules.ts'
import { conflict, notFound } from '../status/status-error.ts'
import type { Stored } from '../store/store.ts'
import { WriteConflict } from '../store/store.ts'
import { isGone } from '../objects/object-end.ts'
import { objectKey } from '../objects/object-key.ts'
import { toServedVersion, toServedObject, encodeStored } from '../objects/stored-object.ts'
import { checkMayDelete } from './namespace-lifecycle.ts'
import { errorObjectOf } from './object-checks.ts'
import type { NamedTarget } from './update.ts'
import type { VerbContext } from './verb-context.ts'

export interface DeleteOptions {
  readonly dryRun: boolean
  readonly graceSeconds?: number
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan'
  readonly uid?: string
  readonly resourceVersion?: string
  /** Checks the stored object; throws a StatusError if this client must not delete it. */
  readonly admit?: (before: ApiObject) => void
}

/** `object` is returned to the client; `gone` means that it was removed from the store. */
export interface DeleteResult {
  readonly object: ApiObject
  readonly gone: boolean
}

export async function remove(
  context: VerbContext,
  target: NamedTarget,
  options: DeleteOptions,
): Promise<DeleteResult> {
  const key = objectKey(target.kind, target.namespace, target.name)
  for (;;) {
    const stored = context.store.get(key)
    if (!stored) throw notFound(errorObjectOf(target, target.name))
    checkMayDelete(target)
    const before = toServedObject(target.kind, stored)
    checkPreconditions(target, before, options)
    options.admit?.(before)
    try {
      return await ended(context, target, stored, before, options)
    } catch (error) {
      if (!(error instanceof WriteConflict)) throw error
    }
  }
}

async function ended(
  { store, clock }: VerbContext,
  target: NamedTarget,
  stored: Stored,
  before: ApiObject,
  options: DeleteOptions,
): Promise<DeleteResult> {
  const { kind } = target
  const object = marked(target, before, options, clock.now())
  if (isGone(kind, object)) {
    const revision = options.dryRun
      ? stored.revision
      : (await store.remove(stored.key, stored.revision)).revision
    return { object: toServedVersion(kind, object, revision), gone: true }
  }
  const text = encodeStored(kind, object)
  if (options.dryRun || text === encodeStored(kind, before)) {
    return { object: toServedVersion(kind, object, stored.revision), gone: false }
  }
  const { revision } = await store.write(stored.key, text, stored.revision)
  return { object: toServedVersion(kind, object, revision), gone: false }
}

/** The object with its deletion marks; unchanged if it has them already. */
function marked(
  { kind }: NamedTarget,
  before: ApiObject,
  options: DeleteOptions,
  now: number,
): ApiObject {
  const object = structuredClone(before)
  const { metadata } = object
  const { deletion, grace: graceOf } = kind.rules ?? {}
  if (metadata.deletionTimestamp === undefined || options.propagation !== undefined) {
    metadata.finalizers = finalizersFor(metadata.finalizers ?? [], options.propagation)
  }
  if (deletion) {
    if (metadata.deletionTimestamp !== undefined) return object
    metadata.deletionTimestamp = timestamp(now)
    deletion.mark(object, timestamp(now))
    return object
  }
  const grace = graceOf?.(object, options.graceSeconds) ?? 0
  const left = metadata.deletionGracePeriodSeconds
  if (metadata.deletionTimestamp !== undefined && (left ?? 0) <= grace) return object
  if (metadata.deletionTimestamp === undefined && metadata.generation) metadata.generation++
  metadata.deletionTimestamp = timestamp(now + grace * 1000)
  metadata.deletionGracePeriodSeconds = grace
  return object
}

const ownFinalizers = { Orphan: 'orphan', Foreground: 'foregroundDeletion' } as const

/** Finalizers that request a deletion propagation from the garbage collector. */
function finalizersFor(
  present: readonly string[],
  propagation: DeleteOptions['propagation'],
): string[] {
  if (propagation === undefined) return [...present]
  const others = present.filter((name) => name !== 'orphan' && name !== 'foregroundDeletion')
  return propagation === 'Background' ? others : [...others, ownFinalizers[propagation]]
}

/** Checks uid and resourceVersion. */
export function checkPreconditions(
  { kind, name }: NamedTarget,
  { metadata }: ApiObject,
  { uid, resourceVersion }: DeleteOptions,
): void {
  // kube-apiserver reports the kind here, not the resource.
  const errorObject = { group: kind.group, resource: kind.kind, kind: kind.kind, name }
  if (uid !== undefined && uid !== metadata.uid) {
    throw conflict(
      errorObject,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    )
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw conflict(
      errorObject,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    )
  }
}
