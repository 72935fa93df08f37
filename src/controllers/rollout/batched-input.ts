import type { Cancel, Clock } from '@machinist/core/clock'
import type { Input } from '@machinist/kube/controller/controller'

/** Delays each key and drops its repetitions meanwhile, so that 500 events cause one reconcile. */
export function batchInput(input: Input, clock: Clock, ms: number): Input {
  return {
    resource: input.resource,
    synced: () => input.synced(),
    subscribe(enqueue) {
      const waiting = new Map<string, Cancel>()
      const unsubscribe = input.subscribe((key, priority) => {
        if (waiting.has(key)) return
        const cancel = clock.after(ms, () => {
          waiting.delete(key)
          enqueue(key, priority)
        })
        waiting.set(key, cancel)
      })
      return () => {
        unsubscribe()
        for (const cancel of waiting.values()) cancel()
        waiting.clear()
      }
    },
  }
}
