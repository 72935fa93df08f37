import { isObject } from '@machinist/core/encoding/json'
import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import { apiVersionOf } from '@machinist/core/objects/resource'
import type { RequestLine } from '../failure.ts'
import { ConnectionFailure } from '../failure.ts'
import type { Page } from '../list-watch.ts'

/** The form in which the objects of a resource are requested. */
export interface Representation<T extends KubeObject> {
  readonly resource: Resource
  readonly accept: string
  readonly listAccept: string
  /** apiVersion and kind of the returned objects. */
  readonly apiVersion: string
  readonly kind: string
  readonly objects?: T
}

export function fullRepresentation<T extends KubeObject>(resource: Resource<T>): Representation<T> {
  const json = 'application/json'
  const { kind } = resource
  return { resource, accept: json, listAccept: json, apiVersion: apiVersionOf(resource), kind }
}

/** Metadata only. There is no fallback to full objects, so that a metadata request never transfers or stores secrets. */
export function metadataRepresentation(resource: Resource): Representation<KubeObject> {
  return {
    resource,
    accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    listAccept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    apiVersion: 'meta.k8s.io/v1',
    kind: 'PartialObjectMetadata',
  }
}

/** Parses a list. Servers omit apiVersion and kind in list items; they are added to every object. */
export function parsePage<T extends KubeObject>(
  request: RequestLine,
  representation: Representation<T>,
  list: unknown,
): Page<T> {
  if (!isObject(list) || !isObject(list['metadata'])) {
    throw new ConnectionFailure(request, 'the response is not a list of Kubernetes objects')
  }
  const { resourceVersion, continue: next } = list['metadata']
  // Some servers encode an empty list as `null`.
  const items: unknown = list['items'] ?? []
  if (!Array.isArray(items) || !items.every(isKubeObject)) {
    throw new ConnectionFailure(
      request,
      'the list contains an item that is not a Kubernetes object',
    )
  }
  for (const item of items) {
    item.apiVersion ??= representation.apiVersion
    item.kind ??= representation.kind
  }
  return {
    items: items as T[],
    resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : '',
    ...(typeof next === 'string' && next !== '' ? { continue: next } : {}),
  }
}

const isKubeObject = (value: unknown): value is KubeObject =>
  isObject(value) && isObject(value['metadata']) && typeof value['metadata']['name'] === 'string'
