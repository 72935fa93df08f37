import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound } from '@machinist/kube/failure'
import type { PinnedImageSetVersion } from '../../api/pinned-images.ts'
import { pinnedImageSetVersionOf } from '../../api/pinned-images.ts'
import { machineConfigPools, pinnedImageSets } from '../../api/kinds/resources.ts'

/** One PinnedImageSet, with its images. */
export interface ImageSet extends PinnedImageSetVersion {
  readonly images: readonly string[]
}

/** Reads the image sets of a pool. */
export interface ImageSetSource {
  /** `pool` is a name. */
  read(pool: string, signal: AbortSignal): Promise<ImageSet[]>
}

const requestMs = 30_000

/** Sends one request for the pool, and one for each set that it lists. */
export function imageSetsIn(client: KubeClient): ImageSetSource {
  return {
    async read(pool, signal) {
      const call = { signal, timeoutMs: requestMs }
      const found = await ignoreNotFound(client.get(machineConfigPools, { name: pool }, call))
      const sets: ImageSet[] = []
      for (const { name } of found?.spec.pinnedImageSets ?? []) {
        const set = await ignoreNotFound(client.get(pinnedImageSets, { name }, call))
        if (!set) continue
        const images = set.spec.pinnedImages.map((image) => image.name.trim())
        sets.push({ ...pinnedImageSetVersionOf(set), images })
      }
      return sets
    },
  }
}

/** The distinct images, sorted. */
export function imagesIn(sets: readonly ImageSet[]): string[] {
  return [...new Set(sets.flatMap(({ images }) => images))].sort()
}
