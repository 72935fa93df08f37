import type { SetVersion } from '../../api/pinned-images.ts'
import { versionOf } from '../../api/pinned-images.ts'
import { machineConfigPools, pinnedImageSets } from '../../api/resources.ts'
import type { KubeClient } from '@machinist/kube/client'
import { ifThere } from '@machinist/kube/failure'

/** One PinnedImageSet, with its images. */
export interface ImageSet extends SetVersion {
  readonly images: readonly string[]
}

/** Where the sets of a pool are read. */
export interface ImageSetSource {
  /** By name. */
  read(pool: string, signal: AbortSignal): Promise<ImageSet[]>
}

const requestMs = 30_000

/** One question for the pool, and one for each set that it lists. */
export function imageSetsIn(client: KubeClient): ImageSetSource {
  return {
    async read(pool, signal) {
      const call = { signal, timeoutMs: requestMs }
      const found = await ifThere(client.get(machineConfigPools, { name: pool }, call))
      const sets: ImageSet[] = []
      for (const { name } of found?.spec.pinnedImageSets ?? []) {
        const set = await ifThere(client.get(pinnedImageSets, { name }, call))
        if (!set) continue
        const images = set.spec.pinnedImages.map((image) => image.name.trim())
        sets.push({ ...versionOf(set), images })
      }
      return sets
    },
  }
}

/** Each once, in order. */
export function imagesIn(sets: readonly ImageSet[]): string[] {
  return [...new Set(sets.flatMap(({ images }) => images))].sort()
}
