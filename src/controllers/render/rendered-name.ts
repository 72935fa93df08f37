import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import { kernelTypes, names } from '../../api/names.ts'
import { sha256Hex } from '../../base/digest.ts'
import { canonicalJson, isObject } from '../../base/json.ts'

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

export function canonicalForm(spec: MachineConfigSpec): string {
  return canonicalJson({ form, spec: said(spec) })
}

export function digestOf(canonical: string): string {
  return sha256Hex(canonical).slice(0, digestLength)
}

function said(spec: MachineConfigSpec): Record<string, unknown> {
  const { config, kernelType, ...others } = spec
  const fields: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(others)) {
    if (value !== '' && value !== false && !isNothing(value)) fields[field] = value
  }
  if (kernelType && kernelType !== kernelTypes.default) fields['kernelType'] = kernelType
  const inside = saidIn(isObject(config) ? withoutVersion(config) : config)
  if (!isNothing(inside)) fields['config'] = inside
  return fields
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

function saidIn(value: unknown, field = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => saidIn(item))
    return Object.hasOwn(keyOfList, field) ? sorted(items, keyOfList[field]!) : items
  }
  if (!isObject(value)) return value
  const kept = Object.entries(value).map(([key, inner]) => [key, saidIn(inner, key)] as const)
  return Object.fromEntries(kept.filter(([, meant]) => !isNothing(meant)))
}

function sorted(items: readonly unknown[], key: string): unknown[] {
  const textOf = (item: unknown): string => {
    const text = isObject(item) ? item[key] : undefined
    return typeof text === 'string' ? text : ''
  }
  return items.toSorted((a, b) => {
    const [one, other] = [textOf(a), textOf(b)]
    return one < other ? -1 : one > other ? 1 : 0
  })
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null) return true
  if (Array.isArray(value)) return value.length === 0
  if (!isObject(value)) return false
  for (const _ in value) return false
  return true
}
