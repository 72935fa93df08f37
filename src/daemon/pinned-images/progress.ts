import type { ConditionStatus } from '@machinist/core/objects/resource'
import type { ConditionReport } from '../../api/conditions.ts'
import { nodeConditions, pinnedImageSetsSeen } from '../../api/conditions.ts'
import type { PinnedImageSetProgress } from '../../api/kinds/machine-config-node.ts'
import { pinnedDigest } from '../../api/pinned-images.ts'
import { pinnedImagesReasons as reasons } from '../../api/reasons.ts'
import type { ImageSet } from './image-sets.ts'
import { imagesIn } from './image-sets.ts'

/** A problem that affects all images. */
export interface PrefetchProblem {
  readonly reason: (typeof reasons)['failed' | 'noRoom' | 'notSupported']
  readonly message: string
}

/** The progress of a node. */
export interface PrefetchState {
  readonly sets: readonly ImageSet[]
  readonly present: ReadonlySet<string>
  /** Failures by image. */
  readonly failures?: ReadonlyMap<string, string>
  readonly problem?: PrefetchProblem | undefined
}

/** The content of the MachineConfigNode's status. */
export interface PinnedImagesReport {
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

/** The report of a state. Pure. */
export function reportOf(state: PrefetchState): PinnedImagesReport {
  const { sets, problem } = state
  return {
    sets: sets.map((set) => setReport(set, state)),
    conditions: [
      progressing(state),
      ...degraded(state, problem),
      condition(pinnedImageSetsSeen, 'True', reasons.read, pinnedDigest(sets)),
    ],
  }
}

/** The list after a report. Pure. An older complete generation stays until the new one is complete. */
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

/** Sets whose generations decrease because they were recreated. The API rejects that in one update. */
export function regressingSets(
  before: readonly PinnedImageSetProgress[] | undefined,
  after: readonly PinnedImageSetProgress[],
): Set<string> {
  const known = new Map((before ?? []).map((each) => [each.name, each]))
  const isLower = (was: number | undefined, is: number | undefined): boolean =>
    was !== undefined && is !== undefined && is < was
  return new Set(
    after
      .filter((is) => {
        const was = known.get(is.name)
        return (
          isLower(was?.desiredGeneration, is.desiredGeneration) ||
          isLower(was?.currentGeneration, is.currentGeneration) ||
          isLower(was?.lastFailedGeneration, is.lastFailedGeneration)
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

function setReport({ name, generation, images }: ImageSet, state: PrefetchState): SetReport {
  const { present, failures, problem } = state
  const missing = images.filter((image) => !present.has(image))
  if (missing.length === 0 && problem?.reason !== reasons.notSupported) {
    return { name, generation, isComplete: true }
  }
  const wrong = missing.flatMap((image) => failures?.get(image) ?? [])
  const error = problem?.message ?? (wrong.length > 0 ? joinFirst(wrong) : undefined)
  return { name, generation, isComplete: false, ...(error !== undefined && { error }) }
}

function progressing({ sets, present, problem }: PrefetchState): ConditionReport {
  const type = nodeConditions.pinnedImageSetsProgressing
  const images = imagesIn(sets)
  const missing = images.filter((image) => !present.has(image)).length
  if (problem?.reason === reasons.failed) {
    return condition(type, 'True', reasons.prefetching, 'The prefetch failed and is retried')
  }
  if (problem) return condition(type, 'False', problem.reason, problem.message)
  if (missing > 0) {
    const message = `${missing} of ${images.length} pinned images are not on the node yet`
    return condition(type, 'True', reasons.prefetching, message)
  }
  const message =
    images.length === 0
      ? 'No images are pinned'
      : `All pinned images (${images.length}) are on the node`
  return condition(type, 'False', reasons.asExpected, message)
}

/** Not set before the first attempt ends. */
function degraded(
  { sets, present, failures }: PrefetchState,
  problem: PrefetchProblem | undefined,
): ConditionReport[] {
  const type = nodeConditions.pinnedImageSetsDegraded
  if (problem) return [condition(type, 'True', problem.reason, problem.message)]
  if (failures && failures.size > 0) {
    return [condition(type, 'True', reasons.failed, joinFirst([...failures.values()]))]
  }
  const isDone = imagesIn(sets).every((image) => present.has(image))
  return isDone ? [condition(type, 'False', reasons.asExpected, 'No prefetch failed')] : []
}

const joinFirst = (texts: readonly string[]): string => {
  const shown = texts.slice(0, mostShown).map((text) => text.slice(0, 500))
  const more = texts.length - shown.length
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

const mostShown = 5

const condition = (
  type: string,
  status: ConditionStatus,
  reason: string,
  message: string,
): ConditionReport => ({ type, status, reason, message: message.slice(0, longest) })
