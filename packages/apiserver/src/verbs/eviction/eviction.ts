import { timestamp } from '@machinist/core/timestamp'
import type { ApiObject } from '../../kinds/kind-rules.ts'
import { StatusError } from '../../status/status-error.ts'
import type { DeleteOptions } from '../delete.ts'
import { checkPreconditions, remove } from '../delete.ts'
import { read } from '../read.ts'
import type { NamedTarget } from '../update.ts'
import { update } from '../update.ts'
import type { VerbContext, WriteOptions } from '../verb-context.ts'
import { ownWrite } from '../verb-context.ts'
import { claimDisruption } from './claim-disruption.ts'
import { evictionDeletion } from './eviction-deletion.ts'
import { asDisruptionTarget, needsNoBudget, phaseOf } from './evicted-pod.ts'
import { stillProcessed } from './eviction-errors.ts'

/** Deletes a pod unless its disruption budget forbids it. */
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
  if (!claim || claim.counted) return deletePod(context, place, deletion)
  // The pod can be evicted because it is unhealthy: that must still hold.
  const { resourceVersion } = pod.metadata
  try {
    await deletePod(context, place, { ...deletion, resourceVersion })
  } catch (error) {
    const retry = isConflict(error) && deletion.resourceVersion === undefined
    throw retry ? stillProcessed(claim.budget) : error
  }
}

const tries = 20

/** Deletes a pod that needs no budget; returns any other pod. */
async function guardedPod(
  context: VerbContext,
  place: NamedTarget,
  deletion: DeleteOptions,
): Promise<ApiObject | undefined> {
  const requested = deletion.resourceVersion
  for (let attempt = 1; ; attempt++) {
    const pod = read(context, place)
    if (!needsNoBudget(pod)) return pod
    const resourceVersion = mayStillStart(pod)
      ? (requested ?? pod.metadata.resourceVersion)
      : requested
    try {
      await deletePod(context, place, { ...deletion, resourceVersion })
      return undefined
    } catch (error) {
      if (!isConflict(error) || requested !== undefined || attempt === tries) throw error
    }
  }
}

/** Such a pod can become healthy during its eviction, and then counts. */
const mayStillStart = (pod: ApiObject): boolean =>
  phaseOf(pod) === 'Pending' && pod.metadata.deletionTimestamp === undefined

async function deletePod(
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
  // Setting the condition created a new version of the requested object.
  const { resourceVersion } = deletion.resourceVersion === undefined ? deletion : marked.metadata
  await remove(context, place, { ...deletion, resourceVersion })
}

const isConflict = (error: unknown): boolean => error instanceof StatusError && error.code === 409
