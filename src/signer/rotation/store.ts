import type { KubeObject, Resource } from '@machinist/core/resource'
import { keyOf, keyText } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import {
  isAlreadyExists,
  isConflict,
  isNotFound,
  isRefused,
  refusalInWords,
  withoutQuotes,
} from '@machinist/kube/failure'

export interface StoreOptions {
  readonly client: KubeClient
  readonly signal: AbortSignal
}

/** Somebody was faster, or the cache is late: nothing was written, and it has to be looked at again. */
export class Overtaken extends Error {
  constructor(what: string) {
    super(`${what} is no longer what it was`)
    this.name = 'Overtaken'
  }
}

/** The API server does not want it; a person has to see to that. */
export class WriteRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'WriteRefused'
  }
}

/** One request: made if it was not there, and replaced if it still is what it was. Returns the object as stored. */
export async function store<T extends KubeObject>(
  resource: Resource<T>,
  written: T,
  before: Readonly<T> | undefined,
  { client, signal }: StoreOptions,
): Promise<T> {
  const what = `${resource.kind} ${keyText(keyOf(written))}`
  try {
    if (before) return await client.replace(resource, written, { signal })
    return await client.create(resource, written, { signal })
  } catch (error) {
    if (isConflict(error) || isAlreadyExists(error)) throw new Overtaken(what)
    if (isNotFound(error)) {
      if (before) throw new Overtaken(what)
      throw new WriteRefused(`${what} cannot be made: is there a namespace for it?`)
    }
    // The server's own words may quote what was sent, and there are keys in it.
    if (isRefused(error)) throw new WriteRefused(refusalInWords(what, error))
    throw withoutQuotes(error)
  }
}
