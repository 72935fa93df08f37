import { Stalled, Transient } from '@machinist/core/errors'
import { sameJson } from '@machinist/core/encoding/json'
import { keyOf, referenceTo } from '@machinist/core/objects/resource'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import {
  describeRefusal,
  isAlreadyExists,
  isRefused,
  withoutServerMessage,
} from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'
import { otherMakerOf } from '../../api/maker.ts'
import { poolEvents, renderReasons } from '../../api/reasons.ts'
import type { MachineConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import { machineConfigPools, machineConfigs } from '../../api/kinds/resources.ts'
import type { Release } from '../../api/validation/extensions.ts'
import { isReadableIn } from '../../fleet/render/ignition-version.ts'
import type { RenderInput } from '../../fleet/render/read-input.ts'
import { digestOfSpec } from '../../fleet/render/rendered-name.ts'
import { configurationOf, renderedObject } from '../../fleet/render/rendered-object.ts'
import type { RenderedConfig } from '../../fleet/render/renderer.ts'
import { otherMakerMessage } from '../generated/store.ts'
import type { BatchWindow } from './batch-window.ts'
import type { RenderCaches } from './caches.ts'
import type { RenderPlan } from './decide.ts'
import type { PoolRenderFacts, RenderFacts, RenderPhase } from './facts.ts'
import { deleteRendered, removeFinalizer } from './prune.ts'

export interface RenderWriteContext extends Pick<StepContext, 'client' | 'events' | 'signal'> {
  readonly caches: RenderCaches
  readonly window: BatchWindow
  /** The inputs of the last rendering, by pool. */
  readonly lastInputs: Map<string, readonly RenderInput[]>
}

/** Carries out the plan. Returns the phase that follows in the same reconcile. */
export async function act(
  plan: RenderPlan,
  facts: RenderFacts,
  context: RenderWriteContext,
): Promise<RenderPhase | undefined> {
  await write(plan, facts, context)
  return 'nextPhase' in plan ? plan.nextPhase : undefined
}

/** Deletes configs, or stores the rendered config and sets spec.configuration of the pool. */
async function write(
  plan: RenderPlan,
  facts: RenderFacts,
  context: RenderWriteContext,
): Promise<void> {
  if (plan.action === 'delete') return await deleteRendered(plan.configs, context)
  if (plan.action === 'wait' || facts.type !== 'pool') return
  const { name } = facts.pool.metadata
  // A change during the writes opens the next window.
  context.window.close(name)
  if (plan.action !== 'render') return
  await apply(plan.rendered, facts, context)
  context.lastInputs.set(name, facts.inputs)
}

async function apply(
  rendered: RenderedConfig,
  facts: PoolRenderFacts,
  context: RenderWriteContext,
): Promise<void> {
  let target = `MachineConfig ${rendered.name}`
  try {
    await storeRendered(rendered, facts, context)
    target = `MachineConfigPool ${facts.pool.metadata.name}`
    await setPoolConfiguration(rendered, facts, context)
  } catch (error) {
    if (!isRefused(error)) throw withoutServerMessage(error)
    // No event announces changed RBAC or admission rules, so the write is retried.
    throw new Transient(renderReasons.refused, describeRefusal(target, error))
  }
}

/** Stores the rendered config, or repairs the stored one if another writer changed it. */
async function storeRendered(
  rendered: RenderedConfig,
  facts: PoolRenderFacts,
  { client, events, signal, caches }: RenderWriteContext,
): Promise<void> {
  const { pool, maker, controllerConfig } = facts
  const stored = caches.machineConfigs.get(rendered.name)
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
async function setPoolConfiguration(
  rendered: RenderedConfig,
  { pool, inputs }: PoolRenderFacts,
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
