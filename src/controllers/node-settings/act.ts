import { annotations } from '../../api/annotations.ts'
import { otherMakerOf } from '../../api/maker.ts'
import { nodeSettingsReasons } from '../../api/reasons.ts'
import type { MachineConfig } from '../../api/resources.ts'
import { machineConfigs } from '../../api/resources.ts'
import { Waiting } from '@machinist/core/errors'
import { sameJson } from '@machinist/core/json'
import type { Resource } from '@machinist/core/resource'
import { keyOf } from '@machinist/core/resource'
import { ifThere, isConflict, isNotFound } from '@machinist/kube/failure'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import { mergePatch } from '@machinist/kube/patch'
import type { StoreOptions } from '../generated/store.ts'
import { removeAll, store } from '../generated/store.ts'
import type { Plan } from './decide.ts'
import type { Failure } from './failure.ts'
import type { Naming } from './names.ts'
import { annotatedSuffix, isOurName, suffixText } from './names.ts'
import type { NodeSettings } from './settings-kind.ts'

export interface ActOptions extends StoreOptions {
  readonly stored: (name: string) => Readonly<MachineConfig> | undefined
}

/**
 * Does what was planned; what the server refused is answered. The object names its MachineConfigs before they are made
 * and until they are gone, so that whoever dies in between leaves nothing behind that nobody knows of.
 */
export async function act<T extends NodeSettings>(
  object: Readonly<T>,
  { suffix, wanted, stale, finalizers: planned, unsure }: Plan,
  resource: Resource<T>,
  options: ActOptions,
): Promise<Failure[]> {
  const { finalizers: held = [] } = object.metadata
  const known = union(held, planned)
  const begun = await note(object, { suffix, finalizers: known }, resource, options)
  if (!begun) return []
  const failures: Failure[] = []
  const errors: unknown[] = []
  for (const one of wanted) {
    try {
      const problem = await store(one, options.stored(one.metadata.name), options)
      if (!problem) continue
      failures.push({ reason: nodeSettingsReasons[problem.why], message: problem.message })
    } catch (error) {
      // The next pool has its turn all the same.
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
  await removeAll(stale, options)
  const staying = new Set([...planned, ...(await thereOf(unsure, options))])
  const finalizers = known.filter((name) => staying.has(name))
  await removeNamed(held, finalizers, object, options)
  await note(begun, { suffix, finalizers }, resource, options)
  return failures
}

/**
 * An object that is being deleted takes along what was made from it, and nothing else. What another controller made of it keeps
 * its finalizer: that controller removes both.
 */
export async function letGo<T extends NodeSettings>(
  object: Readonly<T>,
  made: readonly Readonly<MachineConfig>[],
  kind: Naming & { readonly resource: Resource<T> },
  options: StoreOptions,
): Promise<void> {
  const { finalizers: held = [] } = object.metadata
  const theirs = new Set(
    made.filter((one) => otherMakerOf(one) !== undefined).map(({ metadata }) => metadata.name),
  )
  const others = held.filter((one) => theirs.has(one) || !isOurName(one, kind))
  await removeAll(made, options)
  await removeNamed(held, others, object, options)
  await note(object, { suffix: undefined, finalizers: others }, kind.resource, options)
}

/** What is no longer named is gone for certain: no cache may have seen yet what was made last. */
async function removeNamed(
  held: readonly string[],
  staying: readonly string[],
  { metadata: { uid } }: Readonly<NodeSettings>,
  options: StoreOptions,
): Promise<void> {
  const { client, signal } = options
  const isOurs = ({ metadata: { ownerReferences: owners = [] } }: MachineConfig): boolean =>
    owners.some((owner) => owner.uid === uid)
  for (const name of held.filter((one) => !staying.includes(one))) {
    const there = await ifThere(client.get(machineConfigs, { name }, { signal }))
    if (there && isOurs(there)) await removeAll([there], options)
  }
}

/** Those under whose names there is something. */
async function thereOf(
  names: readonly string[],
  { client, signal }: StoreOptions,
): Promise<string[]> {
  const found: string[] = []
  for (const name of names) {
    if (await ifThere(client.get(machineConfigs, { name }, { signal }))) found.push(name)
  }
  return found
}

interface Notes {
  /** Undefined: what is there stays. */
  readonly suffix: number | undefined
  readonly finalizers: readonly string[]
}

/** Writes down on the object what is not there yet; all else on it stays. Answers the object as it is then, if it is. */
async function note<T extends NodeSettings>(
  object: Readonly<T>,
  { suffix, finalizers }: Notes,
  resource: Resource<T>,
  { client, signal }: StoreOptions,
): Promise<Readonly<T> | undefined> {
  const { resourceVersion, finalizers: held = [] } = object.metadata
  const isNew = suffix !== undefined && annotatedSuffix(object) !== suffix
  const changes = {
    ...(isNew && { annotations: { [annotations.nameSuffix]: suffixText(suffix) } }),
    ...(!sameJson(held, finalizers) && { finalizers: finalizers.length > 0 ? finalizers : null }),
  }
  if (Object.keys(changes).length === 0) return object
  const patch = mergePatch({ metadata: { resourceVersion, ...changes } })
  try {
    return await client.patch(resource, keyOf(object), patch, { signal })
  } catch (error) {
    if (isNotFound(error)) return undefined
    if (!isConflict(error)) throw error
    const { name } = object.metadata
    throw new Waiting('ObjectChanged', `${resource.kind} ${name} was changed in between`, catchUpMs)
  }
}

const union = (held: readonly string[], more: readonly string[]): string[] => [
  ...new Set([...held, ...more]),
]
