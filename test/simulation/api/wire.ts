import type { Change, Stored } from './memory-api.ts'

const whole = new WeakMap<object, string>()
const partial = new WeakMap<object, string>()

/** A copy of an object with its serialized text. */
export function storedFrom(object: Stored): Stored {
  const text = JSON.stringify(object)
  const stored = JSON.parse(text) as Stored
  whole.set(stored, text)
  return stored
}

/** An object or list as JSON. Each object is serialized once. */
export function bodyText(answer: object, metadataOnly: boolean): string {
  const { items, ...list } = answer as { items?: readonly Stored[] }
  if (items === undefined) return textOf(answer as Stored, metadataOnly)
  const texts = items.map((item) => textOf(item, metadataOnly)).join(',')
  return `${JSON.stringify(list).slice(0, -1)},"items":[${texts}]}`
}

export const eventLine = (type: Change['type'], object: Stored, metadataOnly: boolean): string =>
  `{"type":"${type}","object":${textOf(object, metadataOnly)}}\n`

export function bookmarkLine(version: number): string {
  return `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"${version}"}}}\n`
}

export const errorLine = (status: object): string =>
  `${JSON.stringify({ type: 'ERROR', object: status })}\n`

export const wantsMetadata = (accept: string | undefined): boolean =>
  accept?.includes('as=PartialObjectMetadata') ?? false

/** A stored object as JSON. */
export function textOf(object: Stored, metadataOnly = false): string {
  const texts = metadataOnly ? partial : whole
  const known = texts.get(object)
  if (known !== undefined) return known
  const { metadata, kind } = object
  const isObject = metadata?.name !== undefined && kind !== 'Status'
  const shown =
    metadataOnly && isObject
      ? { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }
      : object
  const text = JSON.stringify(shown)
  texts.set(object, text)
  return text
}
