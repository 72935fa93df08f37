import { keyOf } from '@machinist/core/objects/resource'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import { isNotFound } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'
import { otherMakerOf } from '../../api/maker.ts'
import { finalizers } from '../../api/names.ts'
import type { MachineConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import { machineConfigs } from '../../api/kinds/resources.ts'
import { owningPool } from '../../fleet/render/rendered-object.ts'
import type { RenderCaches } from './caches.ts'
import { byConfigInUse, byRenderedFor } from './caches.ts'

/** Rendered configs of a pool that are no longer needed. Uses indexes only, so the cost does not depend on the number of nodes. */
export function prunableConfigs(
  pool: MachineConfigPool,
  caches: RenderCaches,
  keep: number,
): MachineConfig[] {
  const rendered = caches.machineConfigs.byIndex(byRenderedFor, pool.metadata.name).filter(isOurs)
  return rendered.length <= keep ? [] : outdatedConfigs(rendered, keep, referencesIn(caches))
}

/** Deleted configs, by a user or with their pool, that no node uses any more. */
export function releasedConfigs(pool: string, caches: RenderCaches): MachineConfig[] {
  const obsolete = caches.machineConfigs
    .byIndex(byRenderedFor, pool)
    .filter((machineConfig) => isOurs(machineConfig) && isObsolete(machineConfig, caches))
  if (obsolete.length === 0) return []
  const isReferenced = referencesIn(caches)
  return obsolete.filter(({ metadata }) => !isReferenced(metadata.name))
}

/** Deleted, or without a pool: it can go as soon as no node uses it. */
export function isObsolete(machineConfig: MachineConfig, { pools }: RenderCaches): boolean {
  const owner = owningPool(machineConfig)
  if (owner === undefined) return false
  return machineConfig.metadata.deletionTimestamp !== undefined || pools.get(owner) === undefined
}

/** Another controller prunes its own configs. */
const isOurs = (machineConfig: MachineConfig): boolean => otherMakerOf(machineConfig) === undefined

function referencesIn({ pools, nodes, machineConfigNodes }: RenderCaches) {
  const remaining = pools.list().filter(({ metadata }) => !metadata.deletionTimestamp)
  const ofPools = new Set(remaining.flatMap(configsOf))
  return (name: string): boolean =>
    ofPools.has(name) ||
    nodes.byIndex(byConfigInUse, name).length > 0 ||
    machineConfigNodes.byIndex(byConfigInUse, name).length > 0
}

/** All configs except the newest `keep` and those in use. */
export function outdatedConfigs(
  rendered: readonly MachineConfig[],
  keep: number,
  isReferenced: (name: string) => boolean,
): MachineConfig[] {
  return rendered
    .toSorted((a, b) => byAge(b, a))
    .slice(keep)
    .filter(({ metadata }) => !isReferenced(metadata.name) && !metadata.deletionTimestamp)
}

function configsOf({ spec, status }: MachineConfigPool): string[] {
  return [spec.configuration?.name, status?.configuration?.name].filter(
    (name) => name !== undefined,
  )
}

function byAge(a: MachineConfig, b: MachineConfig): number {
  const [one, other] = [a, b].map(
    ({ metadata }) => `${metadata.creationTimestamp ?? ''} ${metadata.name}`,
  ) as [string, string]
  return one < other ? -1 : one > other ? 1 : 0
}

export async function deleteRendered(
  old: readonly MachineConfig[],
  { client, signal }: Pick<StepContext, 'client' | 'signal'>,
): Promise<void> {
  for (const one of old) {
    const { uid, deletionTimestamp } = one.metadata
    await removeFinalizer(one, { client, signal })
    if (deletionTimestamp) continue
    try {
      await client.remove(machineConfigs, keyOf(one), { ...(uid !== undefined && { uid }), signal })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
}

/** Removes our finalizer, so that a deleted object can go unless it has other finalizers. */
export async function removeFinalizer(
  one: MachineConfig,
  { client, signal }: Pick<StepContext, 'client' | 'signal'>,
): Promise<void> {
  const { resourceVersion, finalizers: held = [] } = one.metadata
  if (!held.includes(finalizers.inUse)) return
  const rest = held.filter((each) => each !== finalizers.inUse)
  const metadata = { resourceVersion, finalizers: rest.length > 0 ? rest : null }
  try {
    await client.patch(machineConfigs, keyOf(one), mergePatch({ metadata }), { signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
