import type { ConditionReport } from '../../api/conditions.ts'
import { nodeConditions, pinnedImageSetsSeen } from '../../api/conditions.ts'
import type { PinnedImageSetProgress } from '../../api/kinds/machine-config-node.ts'
import { pinnedDigest } from '../../api/pinned-images.ts'
import { pinnedImagesReasons as reasons } from '../../api/reasons.ts'
import type { ConditionStatus } from '@machinist/core/resource'
import type { ImageSet } from './image-sets.ts'
import { imagesIn } from './image-sets.ts'

/** What is in the way of all images, whichever they are. */
export interface Problem {
  readonly reason: (typeof reasons)['failed' | 'noRoom' | 'notSupported']
  readonly message: string
}

/** How far a node is. */
export interface Stage {
  readonly sets: readonly ImageSet[]
  readonly present: ReadonlySet<string>
  /** What went wrong, by image. */
  readonly failures?: ReadonlyMap<string, string>
  readonly problem?: Problem | undefined
}

/** What a MachineConfigNode shall say. */
export interface Report {
  readonly sets: readonly SetReport[]
  readonly conditions: readonly ConditionReport[]
}

export interface SetReport {
  readonly name: string
  readonly generation: number
  readonly isComplete: boolean
  readonly error?: string
}

const longest = 4000

/** Pure. */
export function reportOf(stage: Stage): Report {
  const { sets, problem } = stage
  return {
    sets: sets.map((set) => setReport(set, stage)),
    conditions: [
      progressing(stage),
      ...degraded(stage, problem),
      said(pinnedImageSetsSeen, 'True', reasons.read, pinnedDigest(sets)),
    ],
  }
}

/** Pure. The list as it shall be, given how it was: what was there of an older generation is not forgotten meanwhile. */
export function progressAfter(
  before: readonly PinnedImageSetProgress[] | undefined,
  reports: readonly SetReport[],
): PinnedImageSetProgress[] {
  const known = new Map((before ?? []).map((each) => [each.name, each]))
  return reports.map(({ name, generation, isComplete, error }) => {
    const current = isComplete ? generation : olderThan(generation, known.get(name))
    return {
      name,
      desiredGeneration: generation,
      ...(current !== undefined && { currentGeneration: current }),
      ...(error !== undefined && {
        lastFailedGeneration: generation,
        lastFailedGenerationError: error.slice(0, longest),
      }),
    }
  })
}

/** Sets whose numbers would go back, which the API does not allow: they were deleted and made anew. */
export function goingBack(
  before: readonly PinnedImageSetProgress[] | undefined,
  after: readonly PinnedImageSetProgress[],
): Set<string> {
  const known = new Map((before ?? []).map((each) => [each.name, each]))
  const isBack = (was: number | undefined, is: number | undefined): boolean =>
    was !== undefined && is !== undefined && is < was
  return new Set(
    after
      .filter((is) => {
        const was = known.get(is.name)
        return (
          isBack(was?.desiredGeneration, is.desiredGeneration) ||
          isBack(was?.currentGeneration, is.currentGeneration) ||
          isBack(was?.lastFailedGeneration, is.lastFailedGeneration)
        )
      })
      .map(({ name }) => name),
  )
}

function olderThan(
  generation: number,
  was: PinnedImageSetProgress | undefined,
): number | undefined {
  const current = was?.currentGeneration
  return current !== undefined && current < generation ? current : undefined
}

function setReport({ name, generation, images }: ImageSet, stage: Stage): SetReport {
  const { present, failures, problem } = stage
  const missing = images.filter((image) => !present.has(image))
  if (missing.length === 0 && problem?.reason !== reasons.notSupported) {
    return { name, generation, isComplete: true }
  }
  const wrong = missing.flatMap((image) => failures?.get(image) ?? [])
  const error = problem?.message ?? (wrong.length > 0 ? few(wrong) : undefined)
  return { name, generation, isComplete: false, ...(error !== undefined && { error }) }
}

function progressing({ sets, present, problem }: Stage): ConditionReport {
  const type = nodeConditions.pinnedImageSetsProgressing
  const images = imagesIn(sets)
  const missing = images.filter((image) => !present.has(image)).length
  if (problem?.reason === reasons.failed) {
    return said(type, 'True', reasons.prefetching, 'Something failed, and is tried again')
  }
  if (problem) return said(type, 'False', problem.reason, problem.message)
  if (missing > 0) {
    const message = `${missing} of ${images.length} pinned images are not on the node yet`
    return said(type, 'True', reasons.prefetching, message)
  }
  const message =
    images.length === 0
      ? 'No images are pinned'
      : `All pinned images (${images.length}) are on the node and stay there`
  return said(type, 'False', reasons.asExpected, message)
}

/** Nothing is said about failures before an attempt is over. */
function degraded(
  { sets, present, failures }: Stage,
  problem: Problem | undefined,
): ConditionReport[] {
  const type = nodeConditions.pinnedImageSetsDegraded
  if (problem) return [said(type, 'True', problem.reason, problem.message)]
  if (failures && failures.size > 0) {
    return [said(type, 'True', reasons.failed, few([...failures.values()]))]
  }
  const isDone = imagesIn(sets).every((image) => present.has(image))
  return isDone ? [said(type, 'False', reasons.asExpected, 'All is well')] : []
}

const few = (texts: readonly string[]): string => {
  const shown = texts.slice(0, mostShown).map((text) => text.slice(0, 500))
  const more = texts.length - shown.length
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

const mostShown = 5

const said = (
  type: string,
  status: ConditionStatus,
  reason: string,
  message: string,
): ConditionReport => ({ type, status, reason, message: message.slice(0, longest) })
