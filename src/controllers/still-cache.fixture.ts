import type { KubeObject } from '@machinist/core/objects/resource'
import type { SharedCache } from './render/caches.ts'

/** A cache with fixed objects. */
export const stillCache = <T extends KubeObject>(...objects: readonly T[]): SharedCache<T> => ({
  get: (key) => objects.find(({ metadata }) => metadata.name === key),
  list: () => [...objects],
  byIndex: () => [],
  synced: () => Promise.resolve(true),
  subscribe: () => () => undefined,
})
