import { InvalidInput } from '@machinist/core/errors'
import type { Config, File, Owner, Resource } from './spec/config.ts'
import { contentFacts } from './content-facts.ts'
import type { Field, Item, StructShape } from './spec/field.ts'
import { configShape } from './spec/shape.ts'

/** Whether two configs are equivalent. Absent, null, an empty list and an empty struct are equal. */
export function sameConfig(a: Config, b: Config): boolean {
  return sameStruct(configShape, a as unknown as Item, b as unknown as Item)
}

/**
 * Whether two resources have the same bytes, whatever their encoding: percent-encoded, base64 or compressed. Resources that are not
 * inline or cannot be decoded are equal only if their fields are.
 */
export function sameContent(a: Resource | undefined, b: Resource | undefined): boolean {
  return identityOf(a) === identityOf(b)
}

/** Whether two entries describe the same file: path, content, mode and owner, with defaults applied. */
export function sameFile(a: File, b: File): boolean {
  const [appendA, appendB] = [a.append ?? [], b.append ?? []]
  return (
    a.path === b.path &&
    (a.mode ?? defaultFileMode) === (b.mode ?? defaultFileMode) &&
    ownerText(a.user) === ownerText(b.user) &&
    ownerText(a.group) === ownerText(b.group) &&
    sameContent(a.contents, b.contents) &&
    appendA.length === appendB.length &&
    appendA.every((fragment, i) => sameContent(fragment, appendB[i]))
  )
}

const defaultFileMode = 0o644

function ownerText({ id, name }: Owner = {}): string {
  return name === undefined || name === '' || name === 'root' ? `${id ?? 0}` : `name ${name}`
}

/** The digest of the bytes, or a text that identifies a resource without bytes. */
function identityOf(resource: Resource = {}): string {
  try {
    const content = contentFacts(resource)
    if (content.inline) return content.sha256
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
  }
  const { source, compression = '', httpHeaders = [], verification } = resource
  const headers = httpHeaders.map(({ name, value }) => [name, value])
  return JSON.stringify([source, compression, headers, verification?.hash])
}

function sameStruct(shape: StructShape, a: Item, b: Item): boolean {
  return Object.entries(shape).every(([name, field]) => sameField(field, a[name], b[name]))
}

function sameField(field: Field, a: unknown, b: unknown): boolean {
  switch (field.type) {
    case 'struct':
      return sameStruct(field.shape, (a ?? {}) as Item, (b ?? {}) as Item)
    case 'strings':
      return sameList(a, b, (one, other) => one === other)
    case 'items':
      return sameList(a, b, (one, other) => sameStruct(field.shape, one as Item, other as Item))
    case 'string':
      return stated(a, field.plain && '') === stated(b, field.plain && '')
    case 'int':
      return stated(a, field.plain && 0) === stated(b, field.plain && 0)
    case 'bool':
      return stated(a) === stated(b)
  }
}

function stated(value: unknown, zero?: unknown): unknown {
  return value ?? zero
}

function sameList(
  a: unknown,
  b: unknown,
  same: (one: unknown, other: unknown) => boolean,
): boolean {
  const [ours, theirs] = [(a ?? []) as unknown[], (b ?? []) as unknown[]]
  return ours.length === theirs.length && ours.every((one, i) => same(one, theirs[i]))
}
