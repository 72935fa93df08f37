import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { names } from '../../api/names.ts'
import type { PinnedDigests } from '../../api/pinned-images.ts'
import { pinnedDigest, versionOf, writePinnedDigests } from '../../api/pinned-images.ts'
import type { ControllerConfig, MachineConfigPool, PinnedImageSet } from '../../api/resources.ts'
import { controllerConfigs } from '../../api/resources.ts'
import type { KubeObject } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import type { Controller, Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isNews } from '@machinist/kube/controller/news'
import { settled } from '@machinist/kube/controller/outcome'
import { ifThere } from '@machinist/kube/failure'
import type { Informer } from '@machinist/kube/informer/informer'
import { mergePatch } from '@machinist/kube/patch'
import { listedSets } from './select.ts'

/** What it follows; the informers may be shared with others. */
export interface AnnounceCaches {
  readonly pools: Informer<MachineConfigPool>
  readonly pinnedImageSets: Informer<PinnedImageSet>
  readonly controllerConfigs: Informer<ControllerConfig>
}

export interface AnnounceOptions {
  readonly client: KubeClient
  readonly caches: AnnounceCaches
}

const own = { name: names.controllerConfig }
const annotation = ownControllerConfigAnnotations.pinnedImages

/**
 * Lets nodes know that their pool pins other images: one write on the object whose metadata every daemon follows already,
 * however many nodes there are. Who finds another digest there than the one it has seen to reads the sets of its pool.
 */
export function announceController({ client, caches }: AnnounceOptions): Controller {
  return {
    name: 'pinned-images-announcement',
    inputs: inputsOf(caches),
    outputs: ['ControllerConfig'],
    async reconcile(_key, { signal, log }) {
      const config = caches.controllerConfigs.get(own)
      if (!config) return settled
      const wanted = writePinnedDigests(
        digestsOf(caches.pools.list(), (name) => caches.pinnedImageSets.get(name)),
      )
      if (config.metadata.annotations?.[annotation] === wanted) return settled
      const patch = mergePatch({ metadata: { annotations: { [annotation]: wanted ?? null } } })
      await ifThere(client.patch(controllerConfigs, own, patch, { signal }))
      log.info('told nodes which images their pools pin', { digests: wanted ?? 'none' })
      return settled
    },
  }
}

/** Pure. A set that is listed and not there cannot be read by nodes either. */
export function digestsOf(
  pools: readonly Readonly<MachineConfigPool>[],
  setNamed: (name: string) => Readonly<PinnedImageSet> | undefined,
): PinnedDigests {
  const digests = new Map<string, string>()
  for (const pool of pools) {
    const { name, deletionTimestamp } = pool.metadata
    const sets = deletionTimestamp ? [] : listedSets(pool, setNamed)
    if (sets.length > 0) digests.set(name, pinnedDigest(sets.map(versionOf)))
  }
  return digests
}

function inputsOf(caches: AnnounceCaches): Input[] {
  const followed = <T extends KubeObject>(
    resource: string,
    informer: Informer<T>,
    said: (object: Readonly<T>) => unknown,
  ): Input =>
    input({
      resource,
      informer,
      keys: (change) => (isNews(change, said) ? [own.name] : []),
    })
  return [
    followed('MachineConfigPool', caches.pools, ({ metadata, spec }) => [
      metadata.deletionTimestamp,
      spec.pinnedImageSets,
    ]),
    followed('PinnedImageSet', caches.pinnedImageSets, versionOf),
    followed('ControllerConfig', caches.controllerConfigs, ({ metadata }) => [
      metadata.uid,
      metadata.annotations?.[annotation],
    ]),
  ]
}
