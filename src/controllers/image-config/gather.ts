import { labels } from '../../api/labels.ts'
import { names } from '../../api/names.ts'
import { nodePaths } from '../../api/node-paths.ts'
import type { Image } from '../../api/openshift-config.ts'
import { clusterImagePolicies, imagePolicies } from '../../api/openshift-config.ts'
import { clusterSettingsReasons as reasons } from '../../api/reasons.ts'
import type { MachineConfig, MachineConfigPool } from '../../api/resources.ts'
import { Waiting } from '../../base/errors.ts'
import type { Resource } from '../../base/resource.ts'
import { fileIn } from '../generated/base-file.ts'
import type { Maker } from '../generated/maker.ts'
import { templatesWaitFor } from '../node-settings/gather.ts'
import { poolSettings } from '../node-settings/pool-settings.ts'
import type { Cache } from '../render/caches.ts'
import type { ImageConfigCaches } from './inputs.ts'
import type { Problem } from './problem.ts'
import type { BaseFiles, ClusterWord } from './settle.ts'
import type { ImageSources } from './sources.ts'

/** What nobody tells of is looked at this often: what the server refuses, or serves no longer. */
export const unfollowedMs = 60_000

/** Undefined where the cluster says nothing. */
export function gatherWord(sources: ImageSources, image: Readonly<Image>): ClusterWord | undefined {
  const version = sources.clusterVersions.get(names.clusterVersion)
  if (!version) return undefined
  return {
    image,
    releaseImage: version.status?.desired?.image ?? '',
    digestSets: sources.digestSets.list(),
    tagSets: sources.tagSets.list(),
    contentPolicies: sources.contentPolicies.list(),
    contentSourcePolicies: sources.contentSourcePolicies.list(),
    clusterPolicies: sources.clusterPolicies.list(),
    policies: sources.policies.list(),
  }
}

/** To take what is no longer seen for deleted would open nodes, or cut them off. */
export function lostProblem({ kind }: Resource): Problem {
  const isPolicy = kind === clusterImagePolicies.kind || kind === imagePolicies.kind
  return {
    reason: isPolicy ? reasons.badPolicy : reasons.badMirrors,
    effect: 'held',
    message: `the API server no longer serves ${kind}, and nobody knows what became of them; install the kind again, or restart this controller if it was removed on purpose`,
  }
}

/** Those that are written; custom pools select what is for the workers. */
export function builtInPools(pools: Cache<MachineConfigPool>): Readonly<MachineConfigPool>[] {
  return pools
    .list()
    .filter(({ metadata }) => Object.hasOwn(metadata.labels ?? {}, labels.builtInPool))
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
}

/** What the templates made for a pool. Throws Waiting until they have, and InvalidInput for what cannot be read. */
export function baseFilesOf(
  pool: Readonly<MachineConfigPool>,
  caches: ImageConfigCaches,
  maker: Maker,
): BaseFiles {
  const settings = poolSettings(pool)
  const wait = (what: string): Waiting =>
    new Waiting(reasons.noBase, `pool ${settings.name} waits for ${what}`, unfollowedMs)
  const waits = templatesWaitFor(settings, { caches, maker })
  if (waits !== undefined) throw wait(waits)
  const name = `01-${settings.role}-container-runtime`
  const base: Readonly<MachineConfig> | undefined = caches.machineConfigs.get(name)
  const textOf = (path: string): string => {
    const text = base && fileIn(base, path)
    if (text === undefined) throw wait(`${path} in MachineConfig ${name}`)
    return text
  }
  return { registries: textOf(nodePaths.registries), policy: textOf(nodePaths.imagePolicy) }
}
