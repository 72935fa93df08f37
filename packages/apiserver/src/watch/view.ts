import type { KubeObject } from '@machinist/core/objects/resource'

/**
 * The encoding of objects for a watch. Events are encoded once per view, so watches with the same encoding must share
 * a view.
 */
export interface WatchView {
  /** The object of an event, as JSON. */
  object(object: KubeObject): string
  /** The object of a bookmark; the one that ends the initial events is annotated. */
  bookmark(resourceVersion: string, endsInitialEvents: boolean): string
  /** The view of the first event if it differs: only the first table has columns. */
  readonly first?: WatchView
}

export interface ViewedKind {
  readonly apiVersion: string
  readonly kind: string
  readonly listKind: string
  /** Built-in kinds include empty fields that custom resources omit. */
  readonly builtIn: boolean
}

/** Objects in the requested version. */
export function plainView({ apiVersion, kind, listKind, builtIn }: ViewedKind): WatchView {
  const emptyList = builtIn
    ? { kind: listKind, apiVersion, metadata: {}, items: null }
    : { apiVersion, items: [], kind: listKind }
  const annotations = {
    'k8s.io/initial-events-end': 'true',
    'kubernetes.io/initial-events-list-blueprint': base64(`${JSON.stringify(emptyList)}\n`),
  }
  return {
    object: (object) => JSON.stringify({ ...object, kind, apiVersion }),
    bookmark: (resourceVersion, endsInitialEvents) =>
      JSON.stringify({
        kind,
        apiVersion,
        metadata: {
          resourceVersion,
          ...(builtIn ? { creationTimestamp: null } : {}),
          ...(endsInitialEvents ? { annotations } : {}),
        },
      }),
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')
