import type { Clock } from '../../base/clock.ts'
import { sleep } from '../../base/clock.ts'
import type { KubeObject } from '../../base/resource.ts'
import type { Input } from '../../kube/controller/controller.ts'
import { input } from '../../kube/controller/controller.ts'
import type { Informer } from '../../kube/informer/informer.ts'

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
