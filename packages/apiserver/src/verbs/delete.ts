import type { ApiObject } from '../kinds/kind-rules.ts'
import { conflict, notFound } from '../refusal.ts'
import type { Stored } from '../store/store.ts'
import { WriteConflict } from '../store/store.ts'
import { checkMayDelete } from './namespace-lifecycle.ts'
import { refusedOf } from './object-checks.ts'
import { isGone } from './object-end.ts'
import { objectKey } from './object-key.ts'
import { shownAs, shownObject, storedText } from './stored-object.ts'
import type { NamedTarget } from './update.ts'
import type { VerbContext } from './verb-context.ts'
import { timestamp } from './verb-context.ts'

export interface DeleteOptions {
  readonly dryRun: boolean
  readonly graceSeconds?: number
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan'
  readonly uid?: string
  readonly resourceVersion?: string
  /** Looks at the object as it is stored; throws a Refusal if this client may not delete it. */
  readonly admit?: (before: ApiObject) => void
}

/** `object` is what a client is shown; `gone` tells whether it was the last of it. */
export interface Deleted {
  readonly object: ApiObject
  readonly gone: boolean
}

export async function remove(
  context: VerbContext,
  target: NamedTarget,
  options: DeleteOptions,
): Promise<Deleted> {
  const key = objectKey(target.kind, target.namespace, target.name)
  for (;;) {
    const stored = context.store.get(key)
    if (!stored) throw notFound(refusedOf(target, target.name))
    checkMayDelete(target)
    const before = shownObject(target.kind, stored)
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
): Promise<Deleted> {
  const { kind } = target
  const object = marked(target, before, options, clock.now())
  if (isGone(kind, object)) {
    const revision = options.dryRun
      ? stored.revision
      : (await store.remove(stored.key, stored.revision)).revision
    return { object: shownAs(kind, object, revision), gone: true }
  }
  const text = storedText(kind, object)
  if (options.dryRun || text === storedText(kind, before)) {
    return { object: shownAs(kind, object, stored.revision), gone: false }
  }
  const { revision } = await store.write(stored.key, text, stored.revision)
  return { object: shownAs(kind, object, revision), gone: false }
}

/** The object with the marks of its deletion; unchanged where it has them already. */
function marked(
  { kind }: NamedTarget,
  before: ApiObject,
  options: DeleteOptions,
  now: number,
): ApiObject {
  const object = structuredClone(before)
  const { metadata } = object
  const { ending, grace: graceOf } = kind.rules ?? {}
  if (metadata.deletionTimestamp === undefined || options.propagation !== undefined) {
    metadata.finalizers = finalizersFor(metadata.finalizers ?? [], options.propagation)
  }
  if (ending) {
    if (metadata.deletionTimestamp !== undefined) return object
    metadata.deletionTimestamp = timestamp(now)
    ending.mark(object, timestamp(now))
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

/** How the garbage collector is told what to do with dependents. */
function finalizersFor(
  present: readonly string[],
  propagation: DeleteOptions['propagation'],
): string[] {
  if (propagation === undefined) return [...present]
  const others = present.filter((name) => name !== 'orphan' && name !== 'foregroundDeletion')
  return propagation === 'Background' ? others : [...others, ownFinalizers[propagation]]
}

/** Is it this very object, in this very version? */
export function checkPreconditions(
  { kind, name }: NamedTarget,
  { metadata }: ApiObject,
  { uid, resourceVersion }: DeleteOptions,
): void {
  // Here Kubernetes names the kind, not the resource.
  const refused = { group: kind.group, resource: kind.kind, kind: kind.kind, name }
  if (uid !== undefined && uid !== metadata.uid) {
    throw conflict(
      refused,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    )
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw conflict(
      refused,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    )
  }
}
