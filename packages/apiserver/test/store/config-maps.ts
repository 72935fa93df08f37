import type { Store } from '../../src/store/store.ts'

/** Small labelled objects in a store, as an API server stores them. */
export class ConfigMaps {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** Creates or updates an object. */
  async put(name: string, label = 'a', data?: Record<string, string>): Promise<number> {
    const key = keyOf(name)
    const object = {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name, namespace: 'default', labels: { l: label } },
      ...(data ? { data } : {}),
    }
    const expected = this.#store.get(key)?.revision ?? 0
    return (await this.#store.write(key, JSON.stringify(object), expected)).revision
  }

  async remove(name: string): Promise<number> {
    const key = keyOf(name)
    return (await this.#store.remove(key, this.#store.get(key)!.revision)).revision
  }
}

export const inDefault = '/configmaps/default/'

const keyOf = (name: string): string => inDefault + name
