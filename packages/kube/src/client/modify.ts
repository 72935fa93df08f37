import { backoffDelay } from '@machinist/core/backoff'
import { sleep } from '@machinist/core/clock'
import { sameJson } from '@machinist/core/encoding/json'
import type { KubeObject, ObjectKey, Resource } from '@machinist/core/objects/resource'
import { isConflict, withoutServerMessage } from '../failure.ts'
import type { KubeClient, WriteOptions } from './client.ts'

export interface ModifyOptions extends WriteOptions {
  /** Maximum number of attempts when another writer causes a conflict; 5 by default. */
  readonly tries?: number
}

const conflictBackoff = { firstMs: 10, maxMs: 1000, factor: 4, jitter: 0.5 }

/**
 * Reads, changes and replaces an object, and retries on a conflict. `change` is pure: it receives the newest object in each
 * attempt, must not modify it, and returns `undefined` (or equal content) to leave the object unchanged.
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
    const desired = change(current)
    if (desired === undefined || sameJson(current, desired)) return current
    try {
      return await client.replace(resource, desired, write)
    } catch (error) {
      // A replace sends the whole object, including fields that may contain secrets.
      if (!isConflict(error) || attempt >= tries) throw withoutServerMessage(error)
      await sleep(client.clock, backoffDelay(conflictBackoff, attempt - 1, client.random), signal)
    }
  }
}
