import { Waiting } from '@machinist/core/errors'
import { sameJson } from '@machinist/core/encoding/json'
import type { Resource } from '@machinist/core/objects/resource'
import { keyOf } from '@machinist/core/objects/resource'
import { ignoreNotFound, isConflict, isNotFound } from '@machinist/kube/failure'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import { mergePatch } from '@machinist/kube/patch'
import { annotations } from '../../api/annotations.ts'
import { nodeSettingsReasons } from '../../api/reasons.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { machineConfigs } from '../../api/kinds/resources.ts'
import type { StoredConfigs } from '../generated/caches.ts'
import type { StoreOptions } from '../generated/store.ts'
import { deleteConfigs, storeConfig } from '../generated/store.ts'
import type { NodeSettingsPlan } from './decide.ts'
import type { NodeSettingsFacts } from './facts.ts'
import type { SettingsFailure } from './failure.ts'
import { annotatedSuffix, suffixText } from './names.ts'
import type { NodeSettings } from './settings-kind.ts'

/**
 * Applies a plan and returns the rejected writes. The finalizers of the object list its MachineConfigs before they are created
 * and until they are deleted, so that a crash leaves no unknown MachineConfigs.
 */
export async function act<T extends NodeSettings, Context>(
  { suffix, desired, stale, finalizers: planned, uncertain }: NodeSettingsPlan,
  { object, stored }: NodeSettingsFacts<T, Context>,
  resource: Resource<T>,
  step: StoreOptions,
): Promise<SettingsFailure[]> {
  const { finalizers: held = [] } = object.metadata
  const known = union(held, planned)
  const updated = await writeMetadata(object, { suffix, finalizers: known }, resource, step)
  if (!updated) return []
  const failures = await storeDesired(desired, stored, step)
  await deleteConfigs(stale, step)
  const staying = new Set([...planned, ...(await existingOf(uncertain, step))])
  const finalizers = known.filter((name) => staying.has(name))
  await removeNamed(held, finalizers, object, step)
  await writeMetadata(updated, { suffix, finalizers }, resource, step)
  return failures
}

/** Throws the first error after all are tried: a failing pool does not block the next one. */
async function storeDesired(
  desired: readonly MachineConfig[],
  stored: StoredConfigs,
  step: StoreOptions,
): Promise<SettingsFailure[]> {
  const failures: SettingsFailure[] = []
  const errors: unknown[] = []
  for (const machineConfig of desired) {
    try {
      const existing = stored.get(machineConfig.metadata.name)
      const problem = await storeConfig(machineConfig, existing, step)
      if (!problem) continue
      failures.push({ reason: nodeSettingsReasons[problem.why], message: problem.message })
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
  return failures
}

/** Reads from the server, because the cache may not have the latest MachineConfigs yet. */
async function removeNamed(
  held: readonly string[],
  staying: readonly string[],
  { metadata: { uid } }: Readonly<NodeSettings>,
  step: StoreOptions,
): Promise<void> {
  const { client, signal } = step
  const isOurs = ({ metadata: { ownerReferences: owners = [] } }: MachineConfig): boolean =>
    owners.some((owner) => owner.uid === uid)
  for (const name of held.filter((one) => !staying.includes(one))) {
    const existing = await ignoreNotFound(client.get(machineConfigs, { name }, { signal }))
    if (existing && isOurs(existing)) await deleteConfigs([existing], step)
  }
}

/** The names of existing MachineConfigs. */
async function existingOf(
  names: readonly string[],
  { client, signal }: StoreOptions,
): Promise<string[]> {
  const found: string[] = []
  for (const name of names) {
    if (await ignoreNotFound(client.get(machineConfigs, { name }, { signal }))) found.push(name)
  }
  return found
}

interface ObjectMetadata {
  /** Undefined keeps the current annotation. */
  readonly suffix: number | undefined
  readonly finalizers: readonly string[]
}

/** Updates the suffix annotation and the finalizers if they differ. Returns the updated object, undefined if it is gone. */
async function writeMetadata<T extends NodeSettings>(
  object: Readonly<T>,
  { suffix, finalizers }: ObjectMetadata,
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
    throw new Waiting(
      'ObjectChanged',
      `${resource.kind} ${name} was changed concurrently`,
      catchUpMs,
    )
  }
}

const union = (held: readonly string[], more: readonly string[]): string[] => [
  ...new Set([...held, ...more]),
]
