import type { KubeObject } from '../../src/base/resource.ts'
import type { Cache } from '../../src/controllers/render/caches.ts'

/** A cache in which nothing changes. */
export const stillCache = <T extends KubeObject>(...objects: readonly T[]): Cache<T> => ({
  get: (key) => objects.find(({ metadata }) => metadata.name === key),
  list: () => [...objects],
  byIndex: () => [],
  synced: () => Promise.resolve(true),
  subscribe: () => () => undefined,
})
