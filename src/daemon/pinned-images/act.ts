import { sameJson } from '@machinist/core/encoding/json'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import { pinnedDigest } from '../../api/pinned-images.ts'
import type { PinnedImagesPlan } from './decide.ts'
import type { PinnedImagesFacts, PinnedImagesResult } from './facts.ts'
import type { PinnedImagesSources } from './gather.ts'
import type { ImageSet, ImageSetSource } from './image-sets.ts'
import type { Prefetcher } from './prefetch.ts'
import type { PinnedImagesReportContext } from './report.ts'
import { writeReport } from './report.ts'

export interface PinnedImagesActContext
  extends PinnedImagesSources, PinnedImagesReportContext, Pick<StepContext, 'log'> {
  readonly sets: ImageSetSource
  readonly prefetcher: Prefetcher
}

/** Reads changed sets, pulls and pins their images, or unpins all. */
export async function act(
  plan: PinnedImagesPlan,
  facts: PinnedImagesFacts,
  context: PinnedImagesActContext,
): Promise<PinnedImagesResult> {
  const { host, prefetcher, notesFile } = context
  switch (plan.action) {
    case 'wait':
      return { type: 'done' }
    case 'readSets':
      await readSets(plan.pool, plan.digest, context)
      return { type: 'read', digest: plan.digest }
    case 'prefetch':
      return prefetch(plan.sets, facts, context)
    case 'release':
      if (await host.images.runtime()) await prefetcher.keep([])
      return { type: 'released' }
    case 'removeNotes':
      await notesFile.remove()
      return { type: 'done' }
  }
}

async function readSets(
  pool: string,
  digest: string,
  { sets: source, notesFile, memory, prefetcher, stop }: PinnedImagesActContext,
): Promise<void> {
  const { notes } = notesFile
  const sets = await source.read(pool, stop)
  const read = pinnedDigest(sets)
  const isNew = read !== notes?.digest
  if (isNew) {
    prefetcher.forgetSizes()
    await notesFile.write({ ...notes, digest: read, sets })
  }
  memory.read(digest, isNew)
}

async function prefetch(
  sets: readonly ImageSet[],
  { desired }: PinnedImagesFacts,
  context: PinnedImagesActContext,
): Promise<PinnedImagesResult> {
  const { prefetcher, log } = context
  const state = await prefetcher.prefetch({
    sets,
    isDesired: () => sameJson(context.desired(), desired),
    started: async (begun) => {
      // A failed report does not stop the prefetch.
      await writeReport(begun, context).catch((error: unknown) =>
        log.error('cannot report the progress', error),
      )
    },
  })
  if (!state) return { type: 'interrupted' }
  const isComplete = !state.problem && (state.failures?.size ?? 0) === 0
  if (isComplete) prefetcher.forgetSizes()
  return { type: 'prefetched', state, isComplete }
}
