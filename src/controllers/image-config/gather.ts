import { InvalidInput } from '@machinist/core/errors'
import { labels } from '../../api/labels.ts'
import { names } from '../../api/names.ts'
import { nodePaths } from '../../api/node-paths.ts'
import type { Image } from '../../api/openshift-config.ts'
import { clusterVersions, images } from '../../api/openshift-config.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import { ownerReference } from '../../fleet/render/owner.ts'
import { fileIn } from '../generated/base-file.ts'
import { configsByName } from '../generated/caches.ts'
import { poolSettings } from '../node-settings/pool-settings.ts'
import { templatesWaitFor } from '../node-settings/templates.ts'
import type { SharedCache } from '../render/caches.ts'
import type { ImageConfigFacts, OwningImage, PoolBase } from './facts.ts'
import type { ImageConfigCaches } from './inputs.ts'
import { isGeneratedName } from './names.ts'
import type { ImageObjects } from './node-files.ts'
import type { ImageSources } from './sources.ts'

/** Without image settings too: the MachineConfigs of an older build are stamped. */
export function gather(caches: ImageConfigCaches, maker: Maker): ImageConfigFacts {
  const { imageSources, controllerConfigs, machineConfigs } = caches
  const image = findOwningImage(imageSources)
  const pools = builtInPools(caches.pools)
  const named = machineConfigs.list().filter(({ metadata }) => isGeneratedName(metadata.name))
  return {
    image,
    objects: image && gatherImageObjects(imageSources, image.image),
    lost: imageSources.lost(),
    controllerConfig: controllerConfigs.get(names.controllerConfig),
    bases: new Map(pools.map((pool) => [pool, poolBase(pool, caches, maker)])),
    stored: configsByName(named),
    maker,
  }
}

/**
 * OpenShift always has an Image. Other clusters that only install the CRD may have none: mirror sets and policies apply
 * there without it, so the generated MachineConfigs have no owner.
 */
function findOwningImage({ images: cache, knows }: ImageSources): OwningImage | undefined {
  const image = cache.get(names.clusterConfig)
  const exists = image && image.metadata.deletionTimestamp === undefined
  if (!knows(clusterVersions) && knows(images)) return { image: exists ? image : emptyImage }
  if (!exists) return undefined
  return { image, owner: ownerReference(images, image, { isController: false }) }
}

const emptyImage: Image = { metadata: { name: names.clusterConfig }, spec: {} }

/** Undefined if the ClusterVersion of an OpenShift cluster is missing: the release image that must not be blocked is unknown. */
function gatherImageObjects(
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

/** The pools that get a MachineConfig; custom pools select the one of the worker pool. */
function builtInPools(pools: SharedCache<MachineConfigPool>): Readonly<MachineConfigPool>[] {
  return pools
    .list()
    .filter(({ metadata }) => Object.hasOwn(metadata.labels ?? {}, labels.builtInPool))
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
}

/** The base files that the templates rendered for a pool. */
function poolBase(
  pool: Readonly<MachineConfigPool>,
  caches: ImageConfigCaches,
  maker: Maker,
): PoolBase {
  const settings = poolSettings(pool)
  const missing = templatesWaitFor(settings, { caches, maker })
  if (missing !== undefined) return { waitsFor: missing }
  const name = `01-${settings.role}-container-runtime`
  const base = caches.machineConfigs.get(name)
  const waits = (path: string): PoolBase => ({ waitsFor: `${path} in MachineConfig ${name}` })
  try {
    const registries = base && fileIn(base, nodePaths.registries)
    if (registries === undefined) return waits(nodePaths.registries)
    const policy = fileIn(base!, nodePaths.imagePolicy)
    if (policy === undefined) return waits(nodePaths.imagePolicy)
    return { files: { registries, policy } }
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return { unreadable: error.message }
  }
}
