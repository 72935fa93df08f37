import { finalizers } from '../../api/names.ts'
import { otherMakerOf } from '../../api/maker.ts'
import { poolEvents, renderReasons } from '../../api/reasons.ts'
import type { MachineConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import { machineConfigPools, machineConfigs } from '../../api/kinds/resources.ts'
import type { Release } from '../../api/validation/extensions.ts'
import { Stalled } from '@machinist/core/errors'
import { sameJson } from '@machinist/core/encoding/json'
import { keyOf, referenceTo } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { isAlreadyExists, isNotFound } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'
import { otherMakerMessage } from '../generated/store.ts'
import type { RenderFacts } from './facts.ts'
import { configurationOf, renderedObject } from '../../fleet/render/rendered-object.ts'
import type { RenderedConfig } from '../../fleet/render/renderer.ts'
import { isReadableIn } from '../../fleet/render/ignition-version.ts'
import { digestOfSpec } from '../../fleet/render/rendered-name.ts'

export interface RenderWriteContext {
  readonly client: KubeClient
  readonly events: EventRecorder
  readonly signal: AbortSignal
}

/** Stores the rendered config, or repairs the stored one if another writer changed it. */
export async function storeRendered(
  rendered: RenderedConfig,
  stored: MachineConfig | undefined,
  facts: RenderFacts,
  { client, events, signal }: RenderWriteContext,
): Promise<void> {
  const { pool, maker, controllerConfig } = facts
  const desired = renderedObject(pool, rendered, maker, controllerConfig)
  if (stored && otherMakerOf(stored) !== undefined) {
    if (digestOfSpec(stored) === rendered.digest) return
    throw new Stalled(renderReasons.otherMaker, otherMakerMessage(stored))
  }
  // Its deletion triggers another reconcile, which creates it again.
  if (stored?.metadata.deletionTimestamp) return removeFinalizer(stored, { client, signal })
  if (stored) {
    const repaired = repairedObject(stored, desired, rendered.digest, facts.release)
    if (repaired) await client.replace(machineConfigs, repaired, { signal })
    return
  }
  try {
    await client.create(machineConfigs, desired, { signal })
  } catch (error) {
    // The cache does not have it yet; its arrival triggers another reconcile.
    if (isAlreadyExists(error)) return
    throw error
  }
  const { name } = desired.metadata
  events.normal(
    referenceTo(machineConfigPools, pool),
    poolEvents.renderedConfigGenerated,
    `${name} was rendered from ${facts.inputs.length} MachineConfigs`,
  )
  if (rendered.osImageOverridden) {
    events.normal(
      referenceTo(machineConfigPools, pool),
      poolEvents.osImageURLOverridden,
      `${name} has the OS image ${rendered.spec.osImageURL} of MachineConfig ${rendered.provenance.osImage?.['']}, not the one of the release`,
    )
  }
}

/** Sets spec.configuration of the pool to the rendered config. */
export async function setPoolConfiguration(
  rendered: RenderedConfig,
  { pool, inputs }: RenderFacts,
  { client, signal }: RenderWriteContext,
): Promise<void> {
  const configuration = configurationOf(rendered, inputs)
  if (sameJson(pool.spec.configuration, configuration)) return
  await client.patch(
    machineConfigPools,
    keyOf(pool),
    mergePatch({ spec: { configuration: { ...clearedFields(pool), ...configuration } } }),
    { signal },
  )
}

export async function deleteRendered(
  old: readonly MachineConfig[],
  { client, signal }: Pick<RenderWriteContext, 'client' | 'signal'>,
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
async function removeFinalizer(
  one: MachineConfig,
  { client, signal }: Pick<RenderWriteContext, 'client' | 'signal'>,
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

/** The desired form of the stored object; undefined if it is correct. An equivalent spec stays as it is. */
function repairedObject(
  stored: MachineConfig,
  desired: MachineConfig,
  digest: string,
  release: Release,
): MachineConfig | undefined {
  const { annotations, ownerReferences, finalizers: held = [] } = desired.metadata
  const metadata = {
    ...stored.metadata,
    annotations: { ...stored.metadata.annotations, ...annotations },
    ownerReferences,
    finalizers: [...new Set([...(stored.metadata.finalizers ?? []), ...held])],
  }
  // The digest ignores the Ignition version, and daemons of the release may not support a newer one.
  const sameSpec = digestOfSpec(stored) === digest && isReadableIn(release, stored.spec?.config)
  if (sameSpec && sameJson(metadata, stored.metadata)) return undefined
  return { ...stored, metadata, spec: sameSpec ? stored.spec : desired.spec }
}

/** Removes fields that another writer set: a merge patch keeps fields that it does not name. */
function clearedFields({ spec }: MachineConfigPool): Record<string, null> {
  return Object.fromEntries(Object.keys(spec.configuration ?? {}).map((key) => [key, null]))
}
