import type { ApiObject } from '../kinds/kind-rules.ts'
import { Refusal } from '../refusal.ts'
import type { DeleteOptions } from './delete.ts'
import { checkPreconditions, remove } from './delete.ts'
import { claimDisruption } from './eviction/claim-disruption.ts'
import { evictionDeletion } from './eviction/eviction-deletion.ts'
import { asDisruptionTarget, needsNoBudget, phaseOf } from './eviction/evicted-pod.ts'
import { stillProcessed } from './eviction/refusals.ts'
import { read } from './read.ts'
import type { NamedTarget } from './update.ts'
import { update } from './update.ts'
import type { VerbContext, WriteOptions } from './verb-context.ts'
import { ownWrite, timestamp } from './verb-context.ts'

/** Deletes a pod unless its disruption budget says that too few would be left. */
export async function evict(
  context: VerbContext,
  target: NamedTarget,
  eviction: ApiObject,
  options: WriteOptions,
): Promise<void> {
  const { subresource: _, ...place } = target
  const deletion = evictionDeletion(target, eviction, options)
  const pod = await guardedPod(context, place, deletion)
  if (!pod) return
  const claim = await claimDisruption(context, pod, deletion.dryRun)
  if (!claim || claim.counted) return end(context, place, deletion)
  // It may go because it is not healthy: that must still be so.
  const { resourceVersion } = pod.metadata
  try {
    await end(context, place, { ...deletion, resourceVersion })
  } catch (error) {
    const retry = isConflict(error) && deletion.resourceVersion === undefined
    throw retry ? stillProcessed(claim.budget) : error
  }
}

const tries = 20

/** A pod on which nobody counts is deleted right away; any other one is handed back. */
async function guardedPod(
  context: VerbContext,
  place: NamedTarget,
  deletion: DeleteOptions,
): Promise<ApiObject | undefined> {
  const asked = deletion.resourceVersion
  for (let attempt = 1; ; attempt++) {
    const pod = read(context, place)
    if (!needsNoBudget(pod)) return pod
    const resourceVersion = mayStillStart(pod) ? (asked ?? pod.metadata.resourceVersion) : asked
    try {
      await end(context, place, { ...deletion, resourceVersion })
      return undefined
    } catch (error) {
      if (!isConflict(error) || asked !== undefined || attempt === tries) throw error
    }
  }
}

/** Such a pod may become healthy while it is being evicted, and then it counts. */
const mayStillStart = (pod: ApiObject): boolean =>
  phaseOf(pod) === 'Pending' && pod.metadata.deletionTimestamp === undefined

async function end(
  context: VerbContext,
  place: NamedTarget,
  deletion: DeleteOptions,
): Promise<void> {
  if (deletion.dryRun) return void (await remove(context, place, deletion))
  const now = timestamp(context.clock.now())
  const marked = await update(
    context,
    { ...place, subresource: 'status' },
    (pod) => {
      checkPreconditions(place, pod, deletion)
      return asDisruptionTarget(pod, now)
    },
    { ...ownWrite, tracked: true },
  )
  // The mark has made a new version of what was asked for.
  const { resourceVersion } = deletion.resourceVersion === undefined ? deletion : marked.metadata
  await remove(context, place, { ...deletion, resourceVersion })
}

const isConflict = (error: unknown): boolean => error instanceof Refusal && error.code === 409
