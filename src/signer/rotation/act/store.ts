import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import { keyOf, keyText } from '@machinist/core/objects/resource'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import {
  isAlreadyExists,
  isConflict,
  isNotFound,
  isRefused,
  describeRefusal,
  withoutServerMessage,
} from '@machinist/kube/failure'

export type StoreContext = Pick<StepContext, 'client' | 'signal'>

/** Another writer was faster, or the cache is outdated: nothing was written, and the next pass decides again. */
export class StaleObject extends Error {
  constructor(what: string) {
    super(`${what} has changed since it was read`)
    this.name = 'StaleObject'
  }
}

/** The API server rejected the write; a user must act. */
export class RefusedWrite extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'RefusedWrite'
  }
}

/** Creates the object, or replaces it if it is unchanged, in one request. Returns the stored object. */
export async function store<T extends KubeObject>(
  resource: Resource<T>,
  written: T,
  before: Readonly<T> | undefined,
  { client, signal }: StoreContext,
): Promise<T> {
  const what = `${resource.kind} ${keyText(keyOf(written))}`
  try {
    if (before) return await client.replace(resource, written, { signal })
    return await client.create(resource, written, { signal })
  } catch (error) {
    if (isConflict(error) || isAlreadyExists(error)) throw new StaleObject(what)
    if (isNotFound(error)) {
      if (before) throw new StaleObject(what)
      throw new RefusedWrite(`${what} cannot be created: check that its namespace exists`)
    }
    // The message of the server may quote the request, which contains keys.
    if (isRefused(error)) throw new RefusedWrite(describeRefusal(what, error))
    throw withoutServerMessage(error)
  }
}
