import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import type { KubeObject } from '@machinist/core/resource'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Informer } from '@machinist/kube/informer/informer'

export interface PatientInputOptions<T extends KubeObject> {
  /** The kind, as the docs' picture calls it. */
  readonly resource: string
  readonly informer: Pick<Informer<T>, 'synced' | 'subscribe'>
  /** Whose work every change is. */
  readonly keys: () => Iterable<string>
  readonly clock: Clock
}

/** So long a controller waits for an input before it works without. */
const patienceMs = 10_000

/**
 * One of several inputs that do not depend on each other: one that the API does not give, for want of a right or
 * otherwise, must not hold up the rest. A reader asks the informer whether it has synced; when it does, the work begins
 * anew.
 */
export function patientInput<T extends KubeObject>(options: PatientInputOptions<T>): Input {
  const { resource, informer, keys, clock } = options
  const followed = input({ resource, informer, keys })
  return {
    resource,
    synced: () => Promise.race([informer.synced(), patienceIsOver(clock)]),
    subscribe: (enqueue) => {
      const leave = followed.subscribe(enqueue)
      let isSubscribed = true
      // Nothing is announced when there turns out to be nothing, and that is worth knowing, too.
      const tell = async (): Promise<void> => {
        if (!(await informer.synced()) || !isSubscribed) return
        for (const key of keys()) enqueue(key, 0)
      }
      void tell()
      return () => {
        isSubscribed = false
        leave()
      }
    },
  }
}

/** By the time that has passed: a clock whose waits are over sooner does not make the API answer sooner. */
async function patienceIsOver(clock: Clock): Promise<boolean> {
  const began = clock.elapsed()
  for (;;) {
    await sleep(clock, patienceMs)
    if (clock.elapsed() - began >= patienceMs) return true
  }
}
