import type { ObjectKey } from '@machinist/core/objects/resource'
import type { CallOptions, KubeClient } from '../client/client.ts'
import { ApiFailure } from '../failure.ts'
import { pods } from '../kinds/core.ts'

export interface EvictionOptions extends CallOptions {
  /** Termination grace period in seconds; the pod's own value by default. */
  readonly graceSeconds?: number
  /** Evict only the pod with this UID, not a later pod with the same name. */
  readonly uid?: string
  readonly dryRun?: boolean
}

export type EvictionOutcome =
  /** The server accepted the eviction; the pod terminates within its grace period. */
  | { readonly outcome: 'evicted' }
  /** The pod does not exist, or has another UID. */
  | { readonly outcome: 'gone' }
  /** A PodDisruptionBudget does not allow the eviction: retry later. */
  | { readonly outcome: 'blocked'; readonly message: string; readonly retryAfterMs?: number }
  /** The server is overloaded; the budgets were not evaluated. */
  | { readonly outcome: 'busy'; readonly message: string; readonly retryAfterMs?: number }
  /** The server rejects the eviction, and an immediate retry cannot succeed: forbidden, several budgets for one pod. */
  | { readonly outcome: 'refused'; readonly message: string; readonly code: number }

/** Evicts a pod through the Eviction API, which respects PodDisruptionBudgets. Throws network errors. */
export async function evict(
  client: KubeClient,
  pod: ObjectKey,
  options: EvictionOptions = {},
): Promise<EvictionOutcome> {
  const { uid, dryRun, graceSeconds, ...call } = options
  const eviction = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: pod.name, namespace: pod.namespace },
    deleteOptions: {
      gracePeriodSeconds: graceSeconds,
      preconditions: uid === undefined ? undefined : { uid },
      dryRun: dryRun ? ['All'] : undefined,
    },
  }
  try {
    await client.act(pods, pod, eviction, { ...call, subresource: 'eviction' })
    return { outcome: 'evicted' }
  } catch (error) {
    if (error instanceof ApiFailure) return outcomeOfFailure(error, uid)
    throw error
  }
}

function outcomeOfFailure(failure: ApiFailure, uid: string | undefined): EvictionOutcome {
  const { code, retryAfterMs } = failure
  const budget = failure.causes.find((cause) => cause.reason === 'DisruptionBudget')
  const message = budget?.message ?? failure.status.message ?? failure.message
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs }
  if (code === 404) return { outcome: 'gone' }
  // A UID mismatch is reported as a conflict: the requested pod no longer exists.
  if (code === 409 && uid !== undefined) return { outcome: 'gone' }
  if (code === 429 && budget) return { outcome: 'blocked', message, ...wait }
  const busy = code === 429 || (code >= 500 && !multipleBudgets.test(message))
  if (busy) return { outcome: 'busy', message, ...wait }
  return { outcome: 'refused', message, code }
}

/** A permanent error that servers return with status 500; only the message distinguishes it from an internal error. */
const multipleBudgets = /more than one PodDisruptionBudget/
