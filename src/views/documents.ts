import { isObject } from '@machinist/core/encoding/json'
import type { Resource } from '@machinist/core/objects/resource'
import { apiVersionOf } from '@machinist/core/objects/resource'

/** The objects of a document: the items of a list such as `kubectl get -o yaml` prints, or the document itself. */
export function itemsOf(document: unknown): Record<string, unknown>[] {
  if (!isObject(document)) return []
  const { kind, items } = document
  if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items)) return [document]
  // The items of a typed list can omit their kind.
  const itemKind = kind.slice(0, -'List'.length)
  return items
    .filter(isObject)
    .map((item) => (itemKind === '' ? item : Object.assign({ kind: itemKind }, item)))
}

/** Whether a document is an object of this resource. A document can omit its apiVersion. */
export function isKind({ kind, apiVersion }: Record<string, unknown>, resource: Resource): boolean {
  return (
    kind === resource.kind && (apiVersion === undefined || apiVersion === apiVersionOf(resource))
  )
}
