import type { KubeObject } from '@machinist/core/resource'

/**
 * How a watcher wants objects to be written. The bytes of an event are made once for each view, so all watchers that want
 * the same must be given the same view.
 */
export interface View {
  /** The object of an event, as JSON. */
  object(object: KubeObject): string
  /** The object of a bookmark; the one that ends the initial events says so. */
  bookmark(resourceVersion: string, endsInitialEvents: boolean): string
  /** How the first event of a watch looks where that differs: a table's columns are only in that one. */
  readonly first?: View
}

export interface ViewedKind {
  readonly apiVersion: string
  readonly kind: string
  readonly listKind: string
  /** Built-in kinds show empty fields where custom resources show none. */
  readonly builtIn: boolean
}

/** Objects as they are, in the version that is asked for. */
export function plainView({ apiVersion, kind, listKind, builtIn }: ViewedKind): View {
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
