import type { ControllerSteps } from '@machinist/kube/controller/step-controller'
import type { PinnedImagesActContext } from './act.ts'
import { act } from './act.ts'
import type { PinnedImagesPlan } from './decide.ts'
import type { PinnedImagesFacts, PinnedImagesResult } from './facts.ts'
import type { ImageSetSource } from './image-sets.ts'
import type { ReportWriter } from './node-report.ts'
import type { PrefetchOptions } from './prefetch.ts'
import { Prefetcher } from './prefetch.ts'
import { report } from './report.ts'

/** Access to the cluster. */
export interface PinnedImagesTools extends Pick<PrefetchOptions, 'workers'> {
  readonly sets: ImageSetSource
  readonly writer: ReportWriter
}

export type LateSteps = Required<
  Pick<ControllerSteps<PinnedImagesFacts, PinnedImagesPlan, PinnedImagesResult>, 'act' | 'report'>
>

/** The steps of the lane on a node with pinned images. */
export function lateSteps(
  context: Omit<PinnedImagesActContext, 'prefetcher'> & Omit<PrefetchOptions, 'signal'>,
): LateSteps {
  const prefetcher = new Prefetcher({ ...context, signal: context.stop }, context.notesFile)
  return {
    act: (plan, facts, { log }) => act(plan, facts, { ...context, prefetcher, log }),
    report: (pass) => report(pass, context),
  }
}
