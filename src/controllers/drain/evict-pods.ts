import { messageOf } from '@machinist/core/errors'
import type { CallOptions, KubeClient } from '@machinist/kube/client/client'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import { evict } from '@machinist/kube/nodes/eviction'
import { ApiFailure, isConflict, isNotFound } from '@machinist/kube/failure'
import type { Pod } from '@machinist/kube/kinds/core'
import { pods } from '@machinist/kube/kinds/core'
import type { EvictionStep } from './decide.ts'
import { podName } from './pods-to-evict.ts'
import type { EvictionResult } from './progress.ts'
import { requestMs } from './timing.ts'

/** Concurrent requests per node. */
const atOnce = 5
/** No request starts after this time, so that slow responses for one node do not block other nodes. */
const stepMs = 30_000

/** Evicts or deletes the pods of a step. The result lacks pods that there was no time for. */
export async function evictPods(
  step: EvictionStep,
  { client, clock, signal }: Pick<StepContext, 'client' | 'clock' | 'signal'>,
): Promise<Map<string, EvictionResult>> {
  const call = { signal, timeoutMs: requestMs }
  const results = new Map<string, EvictionResult>()
  const queue = step.pods.values()
  const until = clock.elapsed() + stepMs
  const work = async (): Promise<void> => {
    // All workers share one iterator.
    for (const pod of queue) {
      if (signal.aborted || clock.elapsed() >= until) return
      results.set(podName(pod), await evictPod(client, pod, step, call))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return results
}

async function evictPod(
  client: KubeClient,
  pod: Readonly<Pod>,
  { method, graceSeconds }: EvictionStep,
  call: CallOptions,
): Promise<EvictionResult> {
  const { namespace, name, uid } = pod.metadata
  const key = namespace === undefined ? { name } : { namespace, name }
  const options = {
    ...call,
    ...(uid !== undefined && { uid }),
    ...(graceSeconds !== undefined && { graceSeconds }),
  }
  try {
    if (method === 'evict') return await evict(client, key, options)
    await client.remove(pods, key, options)
    return { outcome: 'evicted' }
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return { outcome: 'gone' }
    const isPermanent = error instanceof ApiFailure && error.code < 500 && error.code !== 429
    return { outcome: isPermanent ? 'refused' : 'busy', message: messageOf(error) }
  }
}
