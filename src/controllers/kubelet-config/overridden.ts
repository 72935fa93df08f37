import type { KubeletConfig } from '../../api/resources.ts'
import { contentDigest } from '@machinist/core/digest'
import { canonicalJson, isObject } from '@machinist/core/json'
import { memberPath } from './field-checks.ts'
import { readFragment } from './fragment.ts'

/** The fields that an object sets, and to what; lists count as one. */
export function fieldsOf(object: Readonly<KubeletConfig>): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  const { logLevel, autoSizingReserved, tlsSecurityProfile } = object.spec ?? {}
  for (const [name, value] of Object.entries({
    logLevel,
    autoSizingReserved,
    tlsSecurityProfile,
  })) {
    if (value !== undefined && value !== null) fields.set(name, canonicalJson(value))
  }
  const fragment = readFragment(object)
  if (typeof fragment !== 'string') walk(fragment, 'kubeletConfig', fields)
  for (const [field, value] of fields) {
    if (field.startsWith(secret)) fields.set(field, `"hidden: ${contentDigest(value).slice(0, 8)}"`)
  }
  return fields
}

/** The address and its headers may hold credentials; whether two differ can be told without them. */
const secret = 'kubeletConfig.staticPodURL'

function walk(value: unknown, at: string, fields: Map<string, string>): void {
  if (!isObject(value)) return void fields.set(at, canonicalJson(value))
  for (const [key, member] of Object.entries(value)) walk(member, memberPath(at, key), fields)
}
