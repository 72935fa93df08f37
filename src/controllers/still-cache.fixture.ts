import type { KubeObject } from '@machinist/core/resource'
import type { Cache } from './render/caches.ts'

/** A cache in which nothing changes. */
export const stillCache = <T extends KubeObject>(...objects: readonly T[]): Cache<T> => ({
  get: (key) => objects.find(({ metadata }) => metadata.name === key),
  list: () => [...objects],
  byIndex: () => [],
  synced: () => Promise.resolve(true),
  subscribe: () => () => undefined,
})
