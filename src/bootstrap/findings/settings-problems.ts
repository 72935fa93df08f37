import type { Condition, Resource } from '@machinist/core/objects/resource'
import { nodeSettingsConditions } from '../../api/conditions.ts'
import type { ContainerRuntimeConfig, KubeletConfig } from '../../api/kinds/resources.ts'
import { containerRuntimeConfigs, kubeletConfigs } from '../../api/kinds/resources.ts'
import { kubeletConfigProblems } from '../../controllers/kubelet-config/problems.ts'
import { poolSettings, selectionOf } from '../../controllers/node-settings/pool-settings.ts'
import type { PoolSettings } from '../../controllers/node-settings/settings-kind.ts'
import { runtimeConfigProblems } from '../../controllers/runtime-config/problems.ts'
import type { BootstrapProblem } from '../manifests/manifest.ts'
import type { Attribution } from './attribution.ts'
import type { ClusterState } from './cluster-state.ts'
import { problemOf, reportedProblems } from './reported-problems.ts'

/** Problems of KubeletConfigs and ContainerRuntimeConfigs. */
export function settingsProblems(state: ClusterState, files: Attribution): BootstrapProblem[] {
  const pools = state.pools.map(poolSettings)
  return [
    ...problemsOfKind(kubeletConfigs, state.kubeletConfigs, kubeletConfigProblems, pools, files),
    ...problemsOfKind(
      containerRuntimeConfigs,
      state.containerRuntimeConfigs,
      runtimeConfigProblems,
      pools,
      files,
    ),
  ]
}

/**
 * All invalid fields of each object: its condition has only the first few, and none while its controller waits. For an object
 * without invalid fields, the condition.
 */
function problemsOfKind<T extends KubeletConfig | ContainerRuntimeConfig>(
  resource: Resource<T>,
  objects: readonly T[],
  problemsIn: (object: T, pool: PoolSettings) => readonly string[],
  pools: readonly PoolSettings[],
  files: Attribution,
): BootstrapProblem[] {
  return objects.flatMap((object) => {
    const selection = selectionOf(object, pools)
    const selected = 'pools' in selection ? selection.pools : []
    const invalid = new Set(selected.flatMap((pool) => problemsIn(object, pool)))
    if (invalid.size === 0) return reportedProblems(resource, [object], files, failed)
    return [...invalid].map((text) => problemOf(resource, object, text, files))
  })
}

/** The last condition is the result. */
const failed = (conditions: readonly Condition[]): readonly Condition[] =>
  conditions.slice(-1).filter(({ type }) => type === nodeSettingsConditions.failure)
