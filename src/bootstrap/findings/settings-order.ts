import { annotations } from '../../api/annotations.ts'
import type {
  ContainerRuntimeConfig,
  KubeletConfig,
  MachineConfigPool,
} from '../../api/kinds/resources.ts'
import { containerRuntimeConfigs, kubeletConfigs } from '../../api/kinds/resources.ts'
import { annotatedSuffix } from '../../controllers/node-settings/names.ts'
import { poolSettings, selectionOf } from '../../controllers/node-settings/pool-settings.ts'
import type { BootstrapProblem, Manifest } from '../manifests/manifest.ts'
import { describeManifest } from '../manifests/manifest.ts'

/**
 * Several objects of a kind that select the same pool are merged in the order of their creation, which the manifests do not
 * contain: nodes of the cluster could get other settings than the first machines. Annotations with the order make it certain.
 */
export function orderProblems(
  manifests: readonly Manifest[],
  pools: readonly MachineConfigPool[],
): BootstrapProblem[] {
  const settings = pools.map(poolSettings)
  return [kubeletConfigs, containerRuntimeConfigs].flatMap((kind) => {
    const objects = manifests.filter(({ resource }) => resource === kind)
    const reported = new Set<string>()
    return settings.flatMap((pool) => {
      const selecting = objects.filter(({ object }) => {
        const selection = selectionOf(object as KubeletConfig | ContainerRuntimeConfig, [pool])
        return 'pools' in selection && selection.pools.length > 0
      })
      if (selecting.length < 2 || isOrdered(selecting)) return []
      const names = selecting.map(describeManifest).join(' and ')
      if (reported.has(names)) return []
      reported.add(names)
      const message = `${names} select pool ${pool.name}, and the order of their creation decides which one has priority; combine them in one object, or set annotation ${annotations.nameSuffix} on each: "" for the first, then "1" to "9"`
      return [{ file: selecting[1]!.file, message }]
    })
  })
}

function isOrdered(manifests: readonly Manifest[]): boolean {
  const suffixes = manifests.map(({ object }) => annotatedSuffix(object as KubeletConfig))
  return !suffixes.includes(undefined) && new Set(suffixes).size === suffixes.length
}
