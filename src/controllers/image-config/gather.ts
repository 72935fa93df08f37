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
import type {
  ControllerConfig,
  MachineConfig,
  MachineConfigPool,
} from '../../api/kinds/resources.ts'
import { Waiting } from '@machinist/core/errors'
import type { OwnerReference, Resource } from '@machinist/core/objects/resource'
import { fileIn } from '../generated/base-file.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import { ownerReference } from '../../fleet/render/owner.ts'
import { templatesWaitFor } from '../node-settings/templates.ts'
import { poolSettings } from '../node-settings/pool-settings.ts'
import type { SharedCache } from '../render/caches.ts'
import { containerRuntimeOf } from '../template/variables.ts'
import type { ImageConfigCaches } from './inputs.ts'
import type { Problem } from './model/problem.ts'
import type { BaseFiles, ImageObjects } from './node-files.ts'
import type { ImageSources } from './sources.ts'
import { ifReadable } from './model/stored-files.ts'

/** Requeue interval for causes that no watch event announces: a rejected write, a kind that is no longer served. */
export const requeueAfterMs = 60_000

/** Image `cluster`, and the owner reference for the MachineConfigs that are generated from it. */
export interface OwningImage {
  readonly image: Readonly<Image>
  readonly owner?: OwnerReference
}

/**
 * OpenShift always has an Image. Other clusters that only install the CRD may have none: mirror sets and policies apply
 * there without it, so the generated MachineConfigs have no owner.
 */
export function findOwningImage({ images: cache, knows }: ImageSources): OwningImage | undefined {
  const image = cache.get(names.clusterConfig)
  const exists = image && image.metadata.deletionTimestamp === undefined
  if (!knows(clusterVersions) && knows(images)) return { image: exists ? image : emptyImage }
  if (!exists) return undefined
  return { image, owner: ownerReference(images, image, { isController: false }) }
}

const emptyImage: Image = { metadata: { name: names.clusterConfig }, spec: {} }

/** Undefined if the ClusterVersion of an OpenShift cluster is missing: the release image that must not be blocked is unknown. */
export function gatherImageObjects(
  sources: ImageSources,
  image: Readonly<Image>,
): ImageObjects | undefined {
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

/** Treating the objects of an unserved kind as deleted could lift restrictions on nodes, or cut nodes off from images. */
export function unservedKindProblem({ kind }: Resource): Problem {
  return {
    reason: lostReasons.get(kind) ?? reasons.badMirrors,
    effect: 'held',
    message: `the API server no longer serves ${kind}, so its objects are unknown; install the CRD again, or restart this controller if the CRD was removed on purpose`,
  }
}

const lostReasons: ReadonlyMap<string, string> = new Map([
  [images.kind, reasons.badRegistries],
  [clusterVersions.kind, reasons.badRelease],
  [clusterImagePolicies.kind, reasons.badPolicy],
  [imagePolicies.kind, reasons.badPolicy],
])

/** containerd ignores these settings: a user who blocks a registry must know that pods still pull from it. */
export function containerdProblems(
  objects: ImageObjects,
  controllerConfig: Readonly<ControllerConfig> | undefined,
): Problem[] {
  const { image, digestSets, tagSets, contentPolicies, contentSourcePolicies } = objects
  const { clusterPolicies, policies } = objects
  const lists = Object.values(image.spec?.registrySources ?? {}).flat()
  const sets = [digestSets, tagSets, contentPolicies, contentSourcePolicies].flat()
  const hasSettings = [lists, sets, clusterPolicies, policies].flat().length > 0
  // The template controller reports an invalid annotation.
  const runtime = controllerConfig && ifReadable(() => containerRuntimeOf(controllerConfig))
  if (!hasSettings || runtime !== 'containerd') return []
  const message = `nodes run containers with containerd, which ignores the image registry settings of the cluster: they apply only to other programs that pull images on the node; configure containerd with a MachineConfig, or use CRI-O (annotation ${ownControllerConfigAnnotations.containerRuntime} of ControllerConfig ${names.controllerConfig})`
  return [{ reason: reasons.notRead, effect: 'reported', message }]
}

/** The pools that get a MachineConfig; custom pools select the one of the worker pool. */
export function builtInPools(pools: SharedCache<MachineConfigPool>): Readonly<MachineConfigPool>[] {
  return pools
    .list()
    .filter(({ metadata }) => Object.hasOwn(metadata.labels ?? {}, labels.builtInPool))
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
}

/** The base files that the templates rendered for a pool. Throws Waiting until they exist, InvalidInput if they are unreadable. */
export function readBaseFiles(
  pool: Readonly<MachineConfigPool>,
  caches: ImageConfigCaches,
  maker: Maker,
): BaseFiles {
  const settings = poolSettings(pool)
  const waiting = (what: string): Waiting =>
    new Waiting(reasons.noBase, `pool ${settings.name} waits for ${what}`, requeueAfterMs)
  const missing = templatesWaitFor(settings, { caches, maker })
  if (missing !== undefined) throw waiting(missing)
  const name = `01-${settings.role}-container-runtime`
  const base: Readonly<MachineConfig> | undefined = caches.machineConfigs.get(name)
  const textOf = (path: string): string => {
    const text = base && fileIn(base, path)
    if (text === undefined) throw waiting(`${path} in MachineConfig ${name}`)
    return text
  }
  return { registries: textOf(nodePaths.registries), policy: textOf(nodePaths.imagePolicy) }
}
