import { backoffDelay } from '@machinist/core/backoff'
import { sleep } from '@machinist/core/clock'
import { sameJson } from '@machinist/core/json'
import type { KubeObject, ObjectKey, Resource } from '@machinist/core/resource'
import type { KubeClient, WriteOptions } from './client.ts'
import { isConflict, withoutQuotes } from './failure.ts'

export interface ModifyOptions extends WriteOptions {
  /** How often to begin anew when somebody else was faster; 5. */
  readonly tries?: number
}

const pace = { firstMs: 10, maxMs: 1000, factor: 4, jitter: 0.5 }

/**
 * Reads, changes, writes; and begins anew when somebody else wrote in between. `change` is pure: it is given the newest
 * object each time, must not alter it, and may answer `undefined` (or the same content) to leave it alone.
 */
export async function modify<T extends KubeObject>(
  client: KubeClient,
  resource: Resource<T>,
  key: ObjectKey,
  change: (current: T) => T | undefined,
  options: ModifyOptions = {},
): Promise<T> {
  const { tries = 5, ...write } = options
  const { signal, timeoutMs } = write
  for (let attempt = 1; ; attempt++) {
    const current = await client.get(resource, key, { signal, timeoutMs })
    const wanted = change(current)
    if (wanted === undefined || sameJson(current, wanted)) return current
    try {
      return await client.replace(resource, wanted, write)
    } catch (error) {
      // It sends all of the object, also what the caller never looked at.
      if (!isConflict(error) || attempt >= tries) throw withoutQuotes(error)
      await sleep(client.clock, backoffDelay(pace, attempt - 1, client.random), signal)
    }
  }
}
