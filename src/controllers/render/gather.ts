import { InvalidInput } from '@machinist/core/errors'
import type { LabelSelectorSpec } from '@machinist/core/objects/selectors'
import { matchesLabels, nothing, selectorFromSpec } from '@machinist/core/objects/selectors'
import { preloadContentFacts } from '@machinist/ignition/content-facts'
import { labels } from '../../api/labels.ts'
import { isManagedByOtherOperator, otherMakerOf } from '../../api/maker.ts'
import { names } from '../../api/names.ts'
import type {
  ContainerRuntimeConfig,
  KubeletConfig,
  MachineConfig,
  MachineConfigPool,
} from '../../api/kinds/resources.ts'
import { containerRuntimeConfigs, kubeletConfigs } from '../../api/kinds/resources.ts'
import type { Release } from '../../api/validation/extensions.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import { inMergeOrder } from '../../fleet/render/merge-order.ts'
import { owningControllerConfig } from '../../fleet/render/owner.ts'
import type { RenderInput } from '../../fleet/render/read-input.ts'
import { readInput } from '../../fleet/render/read-input.ts'
import { owningPool } from '../../fleet/render/rendered-object.ts'
import { configsOwnedBy, configsOfTemplates } from '../generated/caches.ts'
import { isCurrentFor } from '../generated/settings-generation.ts'
import type { WithheldTemplates } from '../other-maker/withheld-templates.ts'
import type { BatchWindow } from './batch-window.ts'
import type { RenderCaches } from './caches.ts'
import { byConfigInUse, byRenderedFor } from './caches.ts'
import type { NodeSettings, PoolRenderFacts, RenderFacts, RenderPhase } from './facts.ts'
import type { InputCache } from './input-cache.ts'
import { isPending } from './pool-conditions.ts'
import { prunableConfigs, releasedConfigs } from './prune.ts'

export interface PoolSources {
  readonly caches: RenderCaches
  readonly inputs: InputCache
  readonly maker: Maker
  readonly release: Release
  /** Results of templates that are not stored because another controller's MachineConfigs exist. */
  readonly withheld?: WithheldTemplates | undefined
}

export interface RenderSources extends PoolSources {
  readonly window: BatchWindow
  /** The inputs of the last rendering, by pool. */
  readonly lastInputs: ReadonlyMap<string, readonly RenderInput[]>
  /** How many unused rendered configs of a pool are kept. */
  readonly keep: number
}

/** The facts about a pool in a phase of the reconcile, from caches only; undefined if it does not exist. */
export async function gather(
  name: string,
  sources: RenderSources,
  phase: RenderPhase = 'release',
): Promise<RenderFacts | undefined> {
  const { caches, window, lastInputs, keep } = sources
  const released = phase === 'release' ? releasedConfigs(name, caches) : []
  if (released.length > 0) return { type: 'obsolete', phase: 'release', configs: released }
  const pool = caches.pools.get(name)
  if (!pool || pool.metadata.deletionTimestamp) return undefined
  if (phase === 'prune') {
    return { type: 'obsolete', phase, configs: prunableConfigs(pool, caches, keep) }
  }
  const windowMs = window.remaining(name)
  if (windowMs > 0 && isPending(pool)) return { type: 'batching', windowMs }
  const facts = poolFacts(pool, sources)
  const { inputs, adoptedInputs = [], foreignConfigs } = facts
  const planned = foreignConfigs.length > 0 ? adoptedInputs : []
  for (const { config } of [...inputs, ...planned]) await preloadContentFacts(config)
  const previousInputs = lastInputs.get(name)
  return {
    ...facts,
    type: 'pool',
    windowMs: window.remaining(name),
    ...(previousInputs && { previousInputs }),
    isOfOtherOperator: isManagedByOtherOperator(caches.controllerConfigs),
  }
}

/** Everything that determines the rendered config of the pool. */
export function poolFacts(pool: MachineConfigPool, sources: PoolSources): PoolRenderFacts {
  const { caches, inputs, maker, release } = sources
  const { machineConfigs } = caches
  const selected = selectedBy(pool, machineConfigs.list())
  const { spec, status } = pool
  const inUse = new Set([status?.configuration?.name, spec.configuration?.name])
  const foreignInputs = selected.machineConfigs.filter((one) => otherMakerOf(one) !== undefined)
  const adopted =
    foreignInputs.length > 0 ? adoptedInputsOf(selected.machineConfigs, sources) : undefined
  const { irreconcilableValidationOverrides } =
    caches.machineConfigurations.get(names.machineConfiguration)?.spec ?? {}
  return {
    pool,
    controllerConfig: caches.controllerConfigs.get(names.controllerConfig),
    nodeSettings: [
      ...settingsOfPool(pool, caches.kubeletConfigs.list(), kubeletConfigs.kind, machineConfigs),
      ...settingsOfPool(
        pool,
        caches.containerRuntimeConfigs.list(),
        containerRuntimeConfigs.kind,
        machineConfigs,
      ),
    ],
    fromTemplates: configsOfTemplates(machineConfigs),
    inputs: inMergeOrder(selected.machineConfigs, release).map((one) => inputs.get(one)),
    ...(selected.problem !== undefined && { selectorProblem: selected.problem }),
    inUse: [...inUse].flatMap((name) => (name ? (machineConfigs.get(name) ?? []) : [])),
    foreignInputs,
    foreignConfigs: foreignConfigsOf(pool, inUse, caches),
    ...(adopted && { adoptedInputs: adopted }),
    overrides: irreconcilableValidationOverrides?.storage ?? [],
    maker,
    release,
  }
}

/** Configs of another controller that the pool or its nodes use. */
function foreignConfigsOf(
  { metadata }: MachineConfigPool,
  inUse: ReadonlySet<string | undefined>,
  { machineConfigs, nodes }: RenderCaches,
): MachineConfig[] {
  const ofPool = [...inUse].flatMap((name) => (name ? (machineConfigs.get(name) ?? []) : []))
  const ofNodes = machineConfigs
    .byIndex(byRenderedFor, metadata.name)
    .filter((one) => nodes.byIndex(byConfigInUse, one.metadata.name).length > 0)
  return [...new Set([...ofPool, ...ofNodes])].filter((one) => otherMakerOf(one) !== undefined)
}

/** Replaces foreign templates by Machinist's; all other selected MachineConfigs stay. */
function adoptedInputsOf(
  selected: readonly MachineConfig[],
  { withheld, release, inputs }: PoolSources,
): RenderInput[] | undefined {
  const isForeignTemplate = (one: MachineConfig): boolean =>
    otherMakerOf(one) !== undefined && owningControllerConfig(one) !== undefined
  const roles = new Set(
    selected.filter(isForeignTemplate).map(({ metadata }) => metadata.labels?.[labels.role] ?? ''),
  )
  const ours: MachineConfig[] = []
  for (const role of roles) {
    const templates = withheld?.of(role)
    if (!templates) return undefined
    ours.push(...templates)
  }
  const kept = selected.filter((one) => !isForeignTemplate(one))
  return inMergeOrder([...kept, ...ours], release).map((one) =>
    ours.includes(one) ? readInput(one, release) : inputs.get(one),
  )
}

export interface SelectedConfigs {
  readonly machineConfigs: MachineConfig[]
  readonly problem?: string
}

/** A missing or empty selector selects nothing, and rendered configs are never inputs. */
export function selectedBy(
  { spec }: MachineConfigPool,
  machineConfigs: readonly MachineConfig[],
): SelectedConfigs {
  try {
    const matches = matcher(spec.machineConfigSelector)
    const isSelected = (one: MachineConfig): boolean =>
      matches(one.metadata.labels) && owningPool(one) === undefined
    return { machineConfigs: machineConfigs.filter(isSelected) }
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return { machineConfigs: [], problem: error.message }
  }
}

/** Whether the pool selects MachineConfigs whose only label is this role. */
export function selectsRole(pool: MachineConfigPool, role: string): boolean {
  const ofRole = { metadata: { name: role, labels: { [labels.role]: role } } }
  return selectedBy(pool, [ofRole]).machineConfigs.length > 0
}

/** Matches labels; a missing or empty selector matches nothing. */
export function matcher(
  spec: LabelSelectorSpec | null | undefined,
): (labels: Readonly<Record<string, string>> | undefined) => boolean {
  const selector = selectorFromSpec(spec, nothing)
  return (labels) => selector.length > 0 && matchesLabels(selector, labels)
}

function settingsOfPool(
  { metadata }: MachineConfigPool,
  settings: readonly (KubeletConfig | ContainerRuntimeConfig)[],
  kind: string,
  machineConfigs: RenderCaches['machineConfigs'],
): NodeSettings[] {
  return settings
    .filter((object) => {
      // A deleted object without MachineConfigs does not count, even if finalizers of others keep it.
      return !object.metadata.deletionTimestamp || configsOwnedBy(object, machineConfigs).length > 0
    })
    .filter(({ spec }) => {
      try {
        return matcher(spec.machineConfigPoolSelector)(metadata.labels)
      } catch (error) {
        // Its own controller reports the error; no pool waits for it.
        if (error instanceof InvalidInput) return false
        throw error
      }
    })
    .map((object) => ({
      kind,
      object,
      isGenerated: configsOwnedBy(object, machineConfigs).some((one) =>
        isCurrentFor(metadata.name, object, one),
      ),
    }))
}
