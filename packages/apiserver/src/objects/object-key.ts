import type { ServedKind } from '../kinds/served-kind.ts'

const root = '/registry/'

/** The key prefix of a kind, or of its objects in a namespace. */
export function prefixOf(kind: ServedKind, namespace?: string): string {
  const { group, plural } = kind.rules?.view ?? kind
  const collection = `${root}${group === '' ? 'core' : group}/${plural}/`
  return namespace === undefined ? collection : `${collection}${namespace}/`
}

export function objectKey(kind: ServedKind, namespace: string | undefined, name: string): string {
  return prefixOf(kind, kind.namespaced ? namespace : undefined) + name
}

export interface KeyPlace {
  readonly group: string
  readonly plural: string
  readonly namespace?: string
  readonly name: string
}

/** Parses a key. */
export function placeOfKey(key: string): KeyPlace | undefined {
  if (!key.startsWith(root)) return undefined
  const [group, plural, ...rest] = key.slice(root.length).split('/')
  const name = rest.pop()
  if (group === undefined || plural === undefined || name === undefined) return undefined
  const [namespace] = rest
  const place = { group: group === 'core' ? '' : group, plural, name }
  return namespace === undefined ? place : { ...place, namespace }
}
