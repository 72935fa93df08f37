import { finalizers } from '../../api/names.ts'
import { otherMakerOf } from '../../api/maker.ts'
import { poolEvents, renderReasons } from '../../api/reasons.ts'
import type { MachineConfig, MachineConfigPool } from '../../api/resources.ts'
import { machineConfigPools, machineConfigs } from '../../api/resources.ts'
import type { Release } from '../../api/validation/extensions.ts'
import { Stalled } from '@machinist/core/errors'
import { sameJson } from '@machinist/core/json'
import { keyOf, referenceTo } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { isAlreadyExists, isNotFound } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'
import { otherMakerMessage } from '../generated/store.ts'
import type { Facts } from './facts.ts'
import { configurationOf, renderedObject } from '../../fleet/render/rendered-object.ts'
import type { Rendered } from '../../fleet/render/renderer.ts'
import { isReadableIn } from '../../fleet/render/ignition-version.ts'
import { digestOfSpec } from '../../fleet/render/rendered-name.ts'

export interface ActOptions {
  readonly client: KubeClient
  readonly events: EventRecorder
  readonly signal: AbortSignal
}

/** Stores what was rendered, or mends it where somebody changed it. */
export async function store(
  rendered: Rendered,
  stored: MachineConfig | undefined,
  facts: Facts,
  { client, events, signal }: ActOptions,
): Promise<void> {
  const { pool, maker, controllerConfig } = facts
  const wanted = renderedObject(pool, rendered, maker, controllerConfig)
  if (stored && otherMakerOf(stored) !== undefined) {
    if (digestOfSpec(stored) === rendered.digest) return
    throw new Stalled(renderReasons.otherMaker, otherMakerMessage(stored))
  }
  // It is as good as gone. When it is, we are called again and make it anew.
  if (stored?.metadata.deletionTimestamp) return letGo(stored, { client, signal })
  if (stored) {
    const mended = mend(stored, wanted, rendered.digest, facts.release)
    if (mended) await client.replace(machineConfigs, mended, { signal })
    return
  }
  try {
    await client.create(machineConfigs, wanted, { signal })
  } catch (error) {
    // The cache has not seen it yet. When it does, we are called again and look at it.
    if (isAlreadyExists(error)) return
    throw error
  }
  const { name } = wanted.metadata
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

/** Makes the pool point at what was rendered, unless it does. */
export async function repoint(
  rendered: Rendered,
  { pool, inputs }: Facts,
  { client, signal }: ActOptions,
): Promise<void> {
  const configuration = configurationOf(rendered, inputs)
  if (sameJson(pool.spec.configuration, configuration)) return
  await client.patch(
    machineConfigPools,
    keyOf(pool),
    mergePatch({ spec: { configuration: { ...emptied(pool), ...configuration } } }),
    { signal },
  )
}

export async function remove(
  old: readonly MachineConfig[],
  { client, signal }: Pick<ActOptions, 'client' | 'signal'>,
): Promise<void> {
  for (const one of old) {
    const { uid, deletionTimestamp } = one.metadata
    await letGo(one, { client, signal })
    if (deletionTimestamp) continue
    try {
      await client.remove(machineConfigs, keyOf(one), { ...(uid !== undefined && { uid }), signal })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
}

/** Takes our finalizer off: what is deleted goes now. Others may still hold it. */
async function letGo(
  one: MachineConfig,
  { client, signal }: Pick<ActOptions, 'client' | 'signal'>,
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

/** The stored object as it should be; undefined if it is. What says the same in other words is left as it is. */
function mend(
  stored: MachineConfig,
  wanted: MachineConfig,
  digest: string,
  release: Release,
): MachineConfig | undefined {
  const { annotations, ownerReferences, finalizers: held = [] } = wanted.metadata
  const metadata = {
    ...stored.metadata,
    annotations: { ...stored.metadata.annotations, ...annotations },
    ownerReferences,
    finalizers: [...new Set([...(stored.metadata.finalizers ?? []), ...held])],
  }
  // The digest leaves the version out, and daemons of the release may not know a newer one.
  const sameSpec = digestOfSpec(stored) === digest && isReadableIn(release, stored.spec?.config)
  if (sameSpec && sameJson(metadata, stored.metadata)) return undefined
  return { ...stored, metadata, spec: sameSpec ? stored.spec : wanted.spec }
}

/** Fields that some other tool put there go: a merge patch leaves what it does not name. */
function emptied({ spec }: MachineConfigPool): Record<string, null> {
  return Object.fromEntries(Object.keys(spec.configuration ?? {}).map((key) => [key, null]))
}
