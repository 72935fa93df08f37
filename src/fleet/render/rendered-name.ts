import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import { kernelTypes, names } from '../../api/names.ts'
import type { MachineConfig } from '../../api/resources.ts'
import { sha256HexOf } from '@machinist/core/digest'
import { canonicalJson, isObject } from '@machinist/core/json'

/** Names by this form start to differ when it changes: that would roll every node of every cluster, so it never does. */
const form = 1
/** As long as the names that people and their scripts know. */
const digestLength = 32

/** `rendered-worker-0123456789abcdef0123456789abcdef`: the same for the same spec in every version of Machinist. */
export function renderedName(pool: string, digest: string): string {
  return `${names.renderedPrefix}${pool}-${digest}`
}

/**
 * The digest of a rendered spec by its canonical form. The order of keys does not count, nor that of files, units and
 * users; neither do fields that say nothing, nor the version of the Ignition spec that carries the rest. How contents are
 * encoded does count.
 */
export function specDigest(spec: MachineConfigSpec): string {
  return digestOf(canonicalForm(spec))
}

const digests = new WeakMap<object, string>()

/** Worked out once for what does not change. */
export function digestOfSpec({ spec = {} }: Pick<MachineConfig, 'spec'>): string {
  const known = digests.get(spec) ?? specDigest(spec)
  digests.set(spec, known)
  return known
}

/** JSON with sorted keys, in pieces: together they may be megabytes, and are wanted after every change. */
export function canonicalForm(spec: MachineConfigSpec): string[] {
  const { config, kernelType, ...others } = spec
  const said: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(others)) {
    if (value !== '' && value !== false) said[field] = value
  }
  if (kernelType !== kernelTypes.default && kernelType !== '') said['kernelType'] = kernelType
  said['config'] = isObject(config) ? withoutVersion(config) : config
  const pieces = [`{"form":${form},"spec":`]
  say(said, '', pieces)
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

/** Lists whose entries have a key of their own, and whose order means nothing. */
const keyOfList: Readonly<Record<string, string>> = {
  directories: 'path',
  dropins: 'name',
  files: 'path',
  groups: 'name',
  links: 'path',
  units: 'name',
  users: 'name',
}

/** Adds the text of a value, without members that say nothing. Answers whether it says anything itself. */
function say(value: unknown, field: string, pieces: string[]): boolean {
  if (Array.isArray(value)) return sayList(value, field, pieces)
  if (!isObject(value)) {
    pieces.push(canonicalJson(value))
    return value !== undefined && value !== null
  }
  let isFirst = true
  pieces.push('{')
  for (const key of Object.keys(value).sort()) {
    const mark = pieces.length
    pieces.push(`${isFirst ? '' : ','}${JSON.stringify(key)}:`)
    if (say(value[key], key, pieces)) isFirst = false
    else pieces.length = mark
  }
  pieces.push('}')
  return !isFirst
}

function sayList(items: readonly unknown[], field: string, pieces: string[]): boolean {
  const key = Object.hasOwn(keyOfList, field) ? keyOfList[field] : undefined
  pieces.push('[')
  for (const [i, item] of (key === undefined ? items : sorted(items, key)).entries()) {
    // One piece each: there are thousands of files.
    const own: string[] = i === 0 ? [] : [',']
    say(item, '', own)
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
