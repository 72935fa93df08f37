import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { names } from '../../api/names.ts'
import type { PinnedDigests } from '../../api/pinned-images.ts'
import {
  pinnedDigest,
  pinnedImageSetVersionOf,
  writePinnedDigests,
} from '../../api/pinned-images.ts'
import type {
  ControllerConfig,
  MachineConfigPool,
  PinnedImageSet,
} from '../../api/kinds/resources.ts'
import { controllerConfigs } from '../../api/kinds/resources.ts'
import type { KubeObject } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Controller, Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import { settled } from '@machinist/kube/controller/outcome'
import { ignoreNotFound } from '@machinist/kube/failure'
import type { Informer } from '@machinist/kube/informer/informer'
import { mergePatch } from '@machinist/kube/patch'
import { listedSets } from './select.ts'

/** The informers may be shared with other controllers. */
export interface PublishDigestsCaches {
  readonly pools: Informer<MachineConfigPool>
  readonly pinnedImageSets: Informer<PinnedImageSet>
  readonly controllerConfigs: Informer<ControllerConfig>
}

export interface PublishDigestsOptions {
  readonly client: KubeClient
  readonly caches: PublishDigestsCaches
}

const own = { name: names.controllerConfig }
const annotation = ownControllerConfigAnnotations.pinnedImages

/**
 * Publishes a digest of the pinned images of each pool in an annotation of the ControllerConfig, which every daemon watches: one
 * write for any number of nodes. A daemon that finds a new digest reads the sets of its pool.
 */
export function publishDigestsController({ client, caches }: PublishDigestsOptions): Controller {
  return {
    name: 'pinned-images-announcement',
    inputs: inputsOf(caches),
    outputs: ['ControllerConfig'],
    async reconcile(_key, { signal, log }) {
      const config = caches.controllerConfigs.get(own)
      if (!config) return settled
      const desired = writePinnedDigests(
        digestsOf(caches.pools.list(), (name) => caches.pinnedImageSets.get(name)),
      )
      if (config.metadata.annotations?.[annotation] === desired) return settled
      const patch = mergePatch({ metadata: { annotations: { [annotation]: desired ?? null } } })
      await ignoreNotFound(client.patch(controllerConfigs, own, patch, { signal }))
      log.info('published digests of pinned images', { digests: desired ?? 'none' })
      return settled
    },
  }
}

/** Pure. Listed sets that do not exist are skipped: nodes cannot read them either. */
export function digestsOf(
  pools: readonly Readonly<MachineConfigPool>[],
  setNamed: (name: string) => Readonly<PinnedImageSet> | undefined,
): PinnedDigests {
  const digests = new Map<string, string>()
  for (const pool of pools) {
    const { name, deletionTimestamp } = pool.metadata
    const sets = deletionTimestamp ? [] : listedSets(pool, setNamed)
    if (sets.length > 0) digests.set(name, pinnedDigest(sets.map(pinnedImageSetVersionOf)))
  }
  return digests
}

function inputsOf(caches: PublishDigestsCaches): Input[] {
  const inputOf = <T extends KubeObject>(
    resource: string,
    informer: Informer<T>,
    relevantFields: (object: Readonly<T>) => unknown,
  ): Input =>
    input({
      resource,
      informer,
      keys: (change) => (isRelevantChange(change, relevantFields) ? [own.name] : []),
    })
  return [
    inputOf('MachineConfigPool', caches.pools, ({ metadata, spec }) => [
      metadata.deletionTimestamp,
      spec.pinnedImageSets,
    ]),
    inputOf('PinnedImageSet', caches.pinnedImageSets, pinnedImageSetVersionOf),
    inputOf('ControllerConfig', caches.controllerConfigs, ({ metadata }) => [
      metadata.uid,
      metadata.annotations?.[annotation],
    ]),
  ]
}
