import type { Clock } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import type { CallOptions, KubeClient } from '@machinist/kube/client'
import { evict } from '@machinist/kube/eviction'
import { ApiFailure, isConflict, isNotFound } from '@machinist/kube/failure'
import type { Pod } from '@machinist/kube/kinds/core'
import { pods } from '@machinist/kube/kinds/core'
import { podName } from './departures.ts'
import type { Move } from './facts.ts'
import type { Asked } from './progress.ts'

/** At most this many questions of one node at a time, */
const atOnce = 5
/** and none is begun after this time: slow answers about one node must not hold the others. */
const stepMs = 30_000

/** Asks each pod of a move to leave, and says what came of it. Pods that there was no time for are not in the answer. */
export async function askToLeave(
  client: KubeClient,
  clock: Clock,
  move: Move,
  call: CallOptions,
): Promise<Map<string, Asked>> {
  const asked = new Map<string, Asked>()
  const queue = move.pods.values()
  const until = clock.elapsed() + stepMs
  const work = async (): Promise<void> => {
    // All workers take from one iterator.
    for (const pod of queue) {
      if (call.signal?.aborted || clock.elapsed() >= until) return
      asked.set(podName(pod), await askOne(client, pod, move, call))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return asked
}

async function askOne(
  client: KubeClient,
  pod: Readonly<Pod>,
  { how, graceSeconds }: Move,
  call: CallOptions,
): Promise<Asked> {
  const { namespace, name, uid } = pod.metadata
  const key = namespace === undefined ? { name } : { namespace, name }
  const options = {
    ...call,
    ...(uid !== undefined && { uid }),
    ...(graceSeconds !== undefined && { graceSeconds }),
  }
  try {
    if (how === 'evict') return await evict(client, key, options)
    await client.remove(pods, key, options)
    return { outcome: 'evicted' }
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return { outcome: 'gone' }
    const lasting = error instanceof ApiFailure && error.code < 500 && error.code !== 429
    return { outcome: lasting ? 'refused' : 'busy', message: messageOf(error) }
  }
}
