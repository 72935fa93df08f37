import { sha256HexOf } from '@machinist/core/encoding/digest'
import { canonicalJson, isObject } from '@machinist/core/encoding/json'
import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import { kernelTypes, names } from '../../api/names.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'

/** Never changes: another form would give every rendered config a new name and update every node of every cluster. */
const form = 1
/** The length of MCO's digests, for scripts that match names. */
const digestLength = 32

/** `rendered-worker-0123456789abcdef0123456789abcdef`: the same for the same spec in every version of Machinist. */
export function renderedName(pool: string, digest: string): string {
  return `${names.renderedPrefix}${pool}-${digest}`
}

/**
 * The digest of the canonical form of a rendered spec. It ignores the order of keys, files, units and users, empty fields, and
 * the Ignition version. It includes the encoding of contents.
 */
export function specDigest(spec: MachineConfigSpec): string {
  return digestOf(canonicalForm(spec))
}

const digests = new WeakMap<object, string>()

/** Cached by object. */
export function digestOfSpec({ spec = {} }: Pick<MachineConfig, 'spec'>): string {
  const digest = digests.get(spec) ?? specDigest(spec)
  digests.set(spec, digest)
  return digest
}

/** JSON with sorted keys, in pieces to avoid one string of megabytes after every change. */
export function canonicalForm(spec: MachineConfigSpec): string[] {
  const { config, kernelType, ...others } = spec
  const fields: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(others)) {
    if (value !== '' && value !== false) fields[field] = value
  }
  if (kernelType !== kernelTypes.default && kernelType !== '') fields['kernelType'] = kernelType
  fields['config'] = isObject(config) ? withoutVersion(config) : config
  const pieces = [`{"form":${form},"spec":`]
  appendCanonical(fields, '', pieces)
  pieces.push('}')
  return pieces
}

export function digestOf(canonical: readonly string[]): string {
  return sha256HexOf(canonical).slice(0, digestLength)
}

function withoutVersion(config: Record<string, unknown>): Record<string, unknown> {
  const { ignition } = config
  if (!isObject(ignition)) return config
  const { version: _, ...others } = ignition
  return { ...config, ignition: others }
}

/** Lists with keyed entries whose order has no meaning. */
const keyOfList: Readonly<Record<string, string>> = {
  directories: 'path',
  dropins: 'name',
  files: 'path',
  groups: 'name',
  links: 'path',
  units: 'name',
  users: 'name',
}

/** Appends the JSON of a value without empty members. Returns whether the value is not empty. */
function appendCanonical(value: unknown, field: string, pieces: string[]): boolean {
  if (Array.isArray(value)) return appendList(value, field, pieces)
  if (!isObject(value)) {
    pieces.push(canonicalJson(value))
    return value !== undefined && value !== null
  }
  let isFirst = true
  pieces.push('{')
  for (const key of Object.keys(value).sort()) {
    const mark = pieces.length
    pieces.push(`${isFirst ? '' : ','}${JSON.stringify(key)}:`)
    if (appendCanonical(value[key], key, pieces)) isFirst = false
    else pieces.length = mark
  }
  pieces.push('}')
  return !isFirst
}

function appendList(items: readonly unknown[], field: string, pieces: string[]): boolean {
  const key = Object.hasOwn(keyOfList, field) ? keyOfList[field] : undefined
  pieces.push('[')
  for (const [i, item] of (key === undefined ? items : sorted(items, key)).entries()) {
    // One piece per entry: there may be thousands of files.
    const own: string[] = i === 0 ? [] : [',']
    appendCanonical(item, '', own)
    pieces.push(own.join(''))
  }
  pieces.push(']')
  return items.length > 0
}

function sorted(items: readonly unknown[], key: string): unknown[] {
  const keyed = items.map((item) => {
    const by = isObject(item) ? item[key] : undefined
    return { by: typeof by === 'string' ? by : '', item }
  })
  keyed.sort((a, b) => (a.by < b.by ? -1 : a.by > b.by ? 1 : 0))
  return keyed.map(({ item }) => item)
}
