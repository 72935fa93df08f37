import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import { names } from '../../api/names.ts'
import { clusterSettingsReasons } from '../../api/reasons.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { machineConfigPools } from '../../api/kinds/resources.ts'
import { ownerReference } from '../../fleet/render/owner.ts'
import { generatedMachineConfig, isUnclaimed } from '../generated/machine-config.ts'
import { isBuiltIn } from '../node-settings/pool-settings.ts'
import type { KubeletDefaultsFacts } from './facts.ts'
import { layerName, layerNames, layersOf } from './layers.ts'
import type { DefaultsProblem, KubeletDefaults } from './role-defaults.ts'
import { kubeletDefaults } from './role-defaults.ts'

/** A problem that a user must solve. */
export interface ReportedProblem {
  readonly reason: string
  readonly message: string
  /** The invalid setting of the cluster, if that is the cause. */
  readonly source?: DefaultsProblem
}

/** Until the templates of the pool are done, it keeps its layers. */
export type KubeletDefaultsPlan =
  { readonly type: 'wait'; readonly waitsFor: string } | ({ readonly type: 'apply' } & LayerChanges)

interface LayerChanges {
  /** The layers to store. */
  readonly desired: readonly MachineConfig[]
  /** The layers to delete. */
  readonly stale: readonly Readonly<MachineConfig>[]
  readonly problems: readonly ReportedProblem[]
  /** Whether no watch event announces the end of a problem. */
  readonly isUnwatched: boolean
}

/** Pure. */
export function decide(facts: KubeletDefaultsFacts): KubeletDefaultsPlan {
  const { role, lost } = facts
  if (!role) return { type: 'apply', ...noChanges, stale: generatedLayers(facts) }
  if ('waitsFor' in role) return { type: 'wait', waitsFor: role.waitsFor }
  const isUnwatched = lost.size > 0
  if ('unreadable' in role) {
    const problem = { reason: clusterSettingsReasons.noBase, message: role.unreadable }
    return { type: 'apply', ...noChanges, problems: [problem], isUnwatched }
  }
  const defaults = kubeletDefaults(role.facts)
  const problems = defaults.problems.map(reportedProblem)
  return { type: 'apply', ...changesFor(defaults, facts), problems, isUnwatched }
}

const noChanges: LayerChanges = { desired: [], stale: [], problems: [], isUnwatched: false }

function changesFor(
  defaults: KubeletDefaults,
  facts: KubeletDefaultsFacts,
): Pick<LayerChanges, 'desired' | 'stale'> {
  const { name, pool } = facts.settings
  const { node, features } = layersOf(defaults, isBuiltIn(name))
  const owner = ownerReference(machineConfigPools, pool, { isController: false })
  const layer = (digits: '97' | '98', spec: MachineConfigSpec | undefined): MachineConfig[] => {
    if (!spec) return []
    const config = { name: layerName(digits, name), role: name, spec, owner }
    return [generatedMachineConfig(config, facts.maker)]
  }
  const desired = [...layer('97', node), ...layer('98', features)]
  const kept = new Set(desired.map(({ metadata }) => metadata.name))
  return {
    desired,
    stale: generatedLayers(facts).filter(({ metadata }) => !kept.has(metadata.name)),
  }
}

/** The stored layers of the pool, without those of users. */
function generatedLayers({ settings, stored }: KubeletDefaultsFacts): Readonly<MachineConfig>[] {
  return layerNames(settings)
    .flatMap((layer) => stored.get(layer) ?? [])
    .filter(isUnclaimed)
}

const reportedProblem = (source: DefaultsProblem): ReportedProblem => ({
  reason: clusterSettingsReasons.badKubeletDefaults,
  message: `${source.kind} ${names.clusterConfig}: ${source.message}`,
  source,
})
