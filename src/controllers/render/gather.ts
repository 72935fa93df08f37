import { labels } from '../../api/labels.ts'
import { otherMakerOf } from '../../api/maker.ts'
import { names } from '../../api/names.ts'
import type {
  ContainerRuntimeConfig,
  KubeletConfig,
  MachineConfig,
  MachineConfigPool,
} from '../../api/resources.ts'
import { containerRuntimeConfigs, kubeletConfigs } from '../../api/resources.ts'
import type { Release } from '../../api/validation/extensions.ts'
import { InvalidInput } from '@machinist/core/errors'
import type { LabelSelectorSpec } from '@machinist/core/selectors'
import { matchesLabels, nothing, selectorFromSpec } from '@machinist/core/selectors'
import { madeFrom, madeFromTemplates } from '../generated/caches.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import { owningControllerConfig } from '../../fleet/render/owner.ts'
import { isMadeFor } from '../generated/settings-mark.ts'
import type { WithheldTemplates } from '../other-maker/withheld-templates.ts'
import type { RenderCaches } from './caches.ts'
import { byConfigInUse, byRenderedFor } from './caches.ts'
import type { Facts, NodeSettings } from './facts.ts'
import type { InputCache } from './input-cache.ts'
import { inMergeOrder } from '../../fleet/render/merge-order.ts'
import type { RenderInput } from '../../fleet/render/read-input.ts'
import { readInput } from '../../fleet/render/read-input.ts'
import { owningPool } from '../../fleet/render/rendered-object.ts'

export interface GatherOptions {
  readonly caches: RenderCaches
  readonly inputs: InputCache
  readonly maker: Maker
  readonly release: Release
  readonly withheld?: WithheldTemplates | undefined
}

/** Everything about a pool, from the caches alone. */
export function gather(pool: MachineConfigPool, options: GatherOptions): Facts {
  const { caches, inputs, maker, release } = options
  const { machineConfigs } = caches
  const selected = selectedBy(pool, machineConfigs.list())
  const { spec, status } = pool
  const inUse = new Set([status?.configuration?.name, spec.configuration?.name])
  const theirInputs = selected.machineConfigs.filter((one) => otherMakerOf(one) !== undefined)
  const adopted =
    theirInputs.length > 0 ? adoptedInputs(selected.machineConfigs, options) : undefined
  const { irreconcilableValidationOverrides } =
    caches.machineConfigurations.get(names.machineConfiguration)?.spec ?? {}
  return {
    pool,
    controllerConfig: caches.controllerConfigs.get(names.controllerConfig),
    nodeSettings: [
      ...ofPool(pool, caches.kubeletConfigs.list(), kubeletConfigs.kind, machineConfigs),
      ...ofPool(
        pool,
        caches.containerRuntimeConfigs.list(),
        containerRuntimeConfigs.kind,
        machineConfigs,
      ),
    ],
    fromTemplates: madeFromTemplates(machineConfigs),
    inputs: inMergeOrder(selected.machineConfigs, release).map((one) => inputs.get(one)),
    ...(selected.problem !== undefined && { selectorProblem: selected.problem }),
    inUse: [...inUse].flatMap((name) => (name ? (machineConfigs.get(name) ?? []) : [])),
    theirInputs,
    theirConfigs: theirConfigs(pool, inUse, caches),
    ...(adopted && { adoptedInputs: adopted }),
    overrides: irreconcilableValidationOverrides?.storage ?? [],
    maker,
    release,
  }
}

/** What the pool points at, has reached, or has nodes in, as far as another controller rendered it. */
function theirConfigs(
  { metadata }: MachineConfigPool,
  inUse: ReadonlySet<string | undefined>,
  { machineConfigs, nodes }: RenderCaches,
): MachineConfig[] {
  const pointed = [...inUse].flatMap((name) => (name ? (machineConfigs.get(name) ?? []) : []))
  const occupied = machineConfigs
    .byIndex(byRenderedFor, metadata.name)
    .filter((one) => nodes.byIndex(byConfigInUse, one.metadata.name).length > 0)
  return [...new Set([...pointed, ...occupied])].filter((one) => otherMakerOf(one) !== undefined)
}

/** Their templates make room for ours; all else that the pool selects stays. */
function adoptedInputs(
  selected: readonly MachineConfig[],
  { withheld, release, inputs }: GatherOptions,
): RenderInput[] | undefined {
  const isTheirTemplate = (one: MachineConfig): boolean =>
    otherMakerOf(one) !== undefined && owningControllerConfig(one) !== undefined
  const roles = new Set(
    selected.filter(isTheirTemplate).map(({ metadata }) => metadata.labels?.[labels.role] ?? ''),
  )
  const ours: MachineConfig[] = []
  for (const role of roles) {
    const made = withheld?.of(role)
    if (!made) return undefined
    ours.push(...made)
  }
  const kept = selected.filter((one) => !isTheirTemplate(one))
  return inMergeOrder([...kept, ...ours], release).map((one) =>
    ours.includes(one) ? readInput(one, release) : inputs.get(one),
  )
}

export interface Selected {
  readonly machineConfigs: MachineConfig[]
  readonly problem?: string
}

/** A pool without a selector, or with an empty one, selects nothing; what was rendered is no input of anything. */
export function selectedBy(
  { spec }: MachineConfigPool,
  machineConfigs: readonly MachineConfig[],
): Selected {
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

/** Whether it selects what has the label of a role, and no other. */
export function selectsRole(pool: MachineConfigPool, role: string): boolean {
  const ofRole = { metadata: { name: role, labels: { [labels.role]: role } } }
  return selectedBy(pool, [ofRole]).machineConfigs.length > 0
}

/** One meaning of a selector for everybody: neither a missing nor an empty one matches anything. */
export function matcher(
  spec: LabelSelectorSpec | null | undefined,
): (labels: Readonly<Record<string, string>> | undefined) => boolean {
  const selector = selectorFromSpec(spec, nothing)
  return (labels) => selector.length > 0 && matchesLabels(selector, labels)
}

function ofPool(
  { metadata }: MachineConfigPool,
  settings: readonly (KubeletConfig | ContainerRuntimeConfig)[],
  kind: string,
  machineConfigs: RenderCaches['machineConfigs'],
): NodeSettings[] {
  return settings
    .filter((object) => {
      // When what was made from it is gone it says nothing more, however long somebody else holds it.
      return !object.metadata.deletionTimestamp || madeFrom(object, machineConfigs).length > 0
    })
    .filter(({ spec }) => {
      try {
        return matcher(spec.machineConfigPoolSelector)(metadata.labels)
      } catch (error) {
        // Its own controller says what is wrong with it; no pool has to wait for that.
        if (error instanceof InvalidInput) return false
        throw error
      }
    })
    .map((object) => ({
      kind,
      object,
      isMade: madeFrom(object, machineConfigs).some((one) => isMadeFor(metadata.name, object, one)),
    }))
}
