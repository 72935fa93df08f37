import type { Store } from '../../src/store/store.ts'

/** Small objects in a store, with a label each, as an API server would put them there. */
export class ConfigMaps {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** Creates it or changes it. */
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
