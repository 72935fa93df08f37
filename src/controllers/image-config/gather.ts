import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { labels } from '../../api/labels.ts'
import { names } from '../../api/names.ts'
import { nodePaths } from '../../api/node-paths.ts'
import type { Image } from '../../api/openshift-config.ts'
import {
  clusterImagePolicies,
  clusterVersions,
  imagePolicies,
  images,
} from '../../api/openshift-config.ts'
import { clusterSettingsReasons as reasons } from '../../api/reasons.ts'
import type { ControllerConfig, MachineConfig, MachineConfigPool } from '../../api/resources.ts'
import { Waiting } from '@machinist/core/errors'
import type { OwnerReference, Resource } from '@machinist/core/resource'
import { fileIn } from '../generated/base-file.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import { ownerReference } from '../../fleet/render/owner.ts'
import { templatesWaitFor } from '../node-settings/templates.ts'
import { poolSettings } from '../node-settings/pool-settings.ts'
import type { Cache } from '../render/caches.ts'
import { containerRuntimeOf } from '../template/variables.ts'
import type { ImageConfigCaches } from './inputs.ts'
import type { Problem } from './problem.ts'
import type { BaseFiles, ClusterWord } from './settle.ts'
import type { ImageSources } from './sources.ts'
import { ifReadable } from './stored-files.ts'

/** What nobody tells of is looked at this often: what the server refuses, or serves no longer. */
export const unfollowedMs = 60_000

/** What all begins with, and what it makes goes away with. */
export interface Beginning {
  readonly image: Readonly<Image>
  readonly owner?: OwnerReference
}

/**
 * OpenShift always has an Image. A cluster that was only given the kind need not make one; there, what others say still
 * holds when it is deleted, so that nothing goes away with it.
 */
export function beginningIn({ images: cache, knows }: ImageSources): Beginning | undefined {
  const image = cache.get(names.clusterConfig)
  const isThere = image && image.metadata.deletionTimestamp === undefined
  if (!knows(clusterVersions) && knows(images)) return { image: isThere ? image : noImage }
  if (!isThere) return undefined
  return { image, owner: ownerReference(images, image, { isController: false }) }
}

const noImage: Image = { metadata: { name: names.clusterConfig }, spec: {} }

/** Undefined where a ClusterVersion is to be and is not: nobody knows what must not be blocked. */
export function gatherWord(sources: ImageSources, image: Readonly<Image>): ClusterWord | undefined {
  const version = sources.clusterVersions.get(names.clusterVersion)
  if (!version && sources.knows(clusterVersions)) return undefined
  return {
    image,
    releaseImage: version && (version.status?.desired?.image ?? ''),
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
  return {
    reason: lostReasons.get(kind) ?? reasons.badMirrors,
    effect: 'held',
    message: `the API server no longer serves ${kind}, and nobody knows what became of them; install the kind again, or restart this controller if it was removed on purpose`,
  }
}

const lostReasons: ReadonlyMap<string, string> = new Map([
  [images.kind, reasons.badRegistries],
  [clusterVersions.kind, reasons.badRelease],
  [clusterImagePolicies.kind, reasons.badPolicy],
  [imagePolicies.kind, reasons.badPolicy],
])

/** Whoever blocks a registry has to know that pods get its images all the same. */
export function unreadProblems(
  word: ClusterWord,
  controllerConfig: Readonly<ControllerConfig> | undefined,
): Problem[] {
  const { image, digestSets, tagSets, contentPolicies, contentSourcePolicies } = word
  const { clusterPolicies, policies } = word
  const lists = Object.values(image.spec?.registrySources ?? {}).flat()
  const sets = [digestSets, tagSets, contentPolicies, contentSourcePolicies].flat()
  const isSaid = [lists, sets, clusterPolicies, policies].flat().length > 0
  // Where the annotation cannot be read, the template controller tells.
  const runtime = controllerConfig && ifReadable(() => containerRuntimeOf(controllerConfig))
  if (!isSaid || runtime !== 'containerd') return []
  const message = `the containers of the nodes are run by containerd, which reads none of this: it holds only for what else pulls images there, as the system itself; configure containerd by a MachineConfig, or have CRI-O run them (annotation ${ownControllerConfigAnnotations.containerRuntime} of ControllerConfig ${names.controllerConfig})`
  return [{ reason: reasons.notRead, effect: 'told', message }]
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
