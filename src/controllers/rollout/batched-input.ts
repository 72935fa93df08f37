import type { Cancel, Clock } from '@machinist/core/clock'
import type { Input } from '@machinist/kube/controller/controller'

/** The same input, but a key that is wanted waits a moment for others of its kind: 500 events make one reconcile. */
export function batched(input: Input, clock: Clock, ms: number): Input {
  return {
    resource: input.resource,
    synced: () => input.synced(),
    subscribe(enqueue) {
      const waiting = new Map<string, Cancel>()
      const leave = input.subscribe((key, priority) => {
        if (waiting.has(key)) return
        const cancel = clock.after(ms, () => {
          waiting.delete(key)
          enqueue(key, priority)
        })
        waiting.set(key, cancel)
      })
      return () => {
        leave()
        for (const cancel of waiting.values()) cancel()
        waiting.clear()
      }
    },
  }
}
