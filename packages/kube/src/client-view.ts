import { isObject } from '@machinist/core/json'
import type { KubeObject, Resource } from '@machinist/core/resource'
import { apiVersionOf } from '@machinist/core/resource'
import type { Asked } from './failure.ts'
import { ConnectionFailure } from './failure.ts'
import type { Page } from './list-watch.ts'

/** In which form a resource's objects are asked for. */
export interface View<T extends KubeObject> {
  readonly resource: Resource
  readonly accept: string
  readonly listAccept: string
  /** What the objects say they are. */
  readonly apiVersion: string
  readonly kind: string
  readonly objects?: T
}

export function wholeView<T extends KubeObject>(resource: Resource<T>): View<T> {
  const json = 'application/json'
  const { kind } = resource
  return { resource, accept: json, listAccept: json, apiVersion: apiVersionOf(resource), kind }
}

/** The metadata alone. There is no fallback to whole objects: who asks for little must never be sent much. */
export function metadataView(resource: Resource): View<KubeObject> {
  return {
    resource,
    accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    listAccept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    apiVersion: 'meta.k8s.io/v1',
    kind: 'PartialObjectMetadata',
  }
}

/** Servers leave apiVersion and kind out of a list's items; here every object says what it is. */
export function pageIn<T extends KubeObject>(asked: Asked, view: View<T>, list: unknown): Page<T> {
  if (!isObject(list) || !isObject(list['metadata'])) {
    throw new ConnectionFailure(asked, 'the answer is not a list of Kubernetes objects')
  }
  const { resourceVersion, continue: next } = list['metadata']
  // A list of nothing is `null` on the wire of some servers.
  const items: unknown = list['items'] ?? []
  if (!Array.isArray(items) || !items.every(isKubeObject)) {
    throw new ConnectionFailure(asked, 'the list holds something that is not a Kubernetes object')
  }
  for (const item of items) {
    item.apiVersion ??= view.apiVersion
    item.kind ??= view.kind
  }
  return {
    items: items as T[],
    resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : '',
    ...(typeof next === 'string' && next !== '' ? { continue: next } : {}),
  }
}

const isKubeObject = (value: unknown): value is KubeObject =>
  isObject(value) && isObject(value['metadata']) && typeof value['metadata']['name'] === 'string'
