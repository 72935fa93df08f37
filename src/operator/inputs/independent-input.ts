import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import type { KubeObject } from '@machinist/core/objects/resource'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Informer } from '@machinist/kube/informer/informer'

export interface IndependentInputOptions<T extends KubeObject> {
  /** The kind, as in the picture of the docs. */
  readonly resource: string
  readonly informer: Pick<Informer<T>, 'synced' | 'subscribe'>
  /** The keys that every change enqueues. */
  readonly keys: () => Iterable<string>
  readonly clock: Clock
}

/** How long a controller waits for an input to sync before it starts without it. */
const syncTimeoutMs = 10_000

/**
 * One of several independent inputs: one that does not sync, for example because of missing RBAC, must not block the others.
 * Readers check `hasSynced` of the informer; when it syncs later, the keys are enqueued again.
 */
export function independentInput<T extends KubeObject>(options: IndependentInputOptions<T>): Input {
  const { resource, informer, keys, clock } = options
  const followed = input({ resource, informer, keys })
  return {
    resource,
    synced: () => Promise.race([informer.synced(), syncTimeoutExpired(clock)]),
    subscribe: (enqueue) => {
      const leave = followed.subscribe(enqueue)
      let isSubscribed = true
      // An empty list causes no event, so enqueue when the informer has synced.
      const enqueueWhenSynced = async (): Promise<void> => {
        if (!(await informer.synced()) || !isSubscribed) return
        for (const key of keys()) enqueue(key, 0)
      }
      void enqueueWhenSynced()
      return () => {
        isSubscribed = false
        leave()
      }
    },
  }
}

/** Measures elapsed time, because a virtual clock may end sleeps early. */
async function syncTimeoutExpired(clock: Clock): Promise<boolean> {
  const startedAt = clock.elapsed()
  for (;;) {
    await sleep(clock, syncTimeoutMs)
    if (clock.elapsed() - startedAt >= syncTimeoutMs) return true
  }
}
