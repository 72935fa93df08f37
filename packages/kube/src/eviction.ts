import type { ObjectKey } from '@machinist/core/resource'
import type { CallOptions, KubeClient } from './client.ts'
import { ApiFailure } from './failure.ts'
import { pods } from './kinds/core.ts'

export interface EvictionOptions extends CallOptions {
  /** Seconds the pod gets to end; its own setting where not given. */
  readonly graceSeconds?: number
  /** Evict only this very pod, not a namesake that came after it. */
  readonly uid?: string
  readonly dryRun?: boolean
}

export type EvictionOutcome =
  /** The server agreed; the pod ends in its own time. */
  | { readonly outcome: 'evicted' }
  /** There is no such pod (any more), or it is not the one that was meant. */
  | { readonly outcome: 'gone' }
  /** A disruption budget does not allow it now: try later. */
  | { readonly outcome: 'blocked'; readonly message: string; readonly retryAfterMs?: number }
  /** The server is busy; no budget spoke. */
  | { readonly outcome: 'busy'; readonly message: string; readonly retryAfterMs?: number }
  /** The server will not, and asking again at once cannot help: forbidden, several budgets on one pod. */
  | { readonly outcome: 'refused'; readonly message: string; readonly code: number }

/** Asks the server to evict one pod, minding disruption budgets. Network failures are thrown. */
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
    if (error instanceof ApiFailure) return refusal(error, uid)
    throw error
  }
}

function refusal(failure: ApiFailure, uid: string | undefined): EvictionOutcome {
  const { code, retryAfterMs } = failure
  const budget = failure.causes.find((cause) => cause.reason === 'DisruptionBudget')
  const message = budget?.message ?? failure.status.message ?? failure.message
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs }
  if (code === 404) return { outcome: 'gone' }
  // A uid that does not match is a conflict: the pod that was meant is no more.
  if (code === 409 && uid !== undefined) return { outcome: 'gone' }
  if (code === 429 && budget) return { outcome: 'blocked', message, ...wait }
  const busy = code === 429 || (code >= 500 && !severalBudgets.test(message))
  if (busy) return { outcome: 'busy', message, ...wait }
  return { outcome: 'refused', message, code }
}

/** The one lasting refusal that a server sends as its own failure (500); nothing but its words tells it apart. */
const severalBudgets = /more than one PodDisruptionBudget/
