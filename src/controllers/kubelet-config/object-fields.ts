import { contentDigest } from '@machinist/core/encoding/digest'
import { canonicalJson, isObject } from '@machinist/core/encoding/json'
import type { KubeletConfig } from '../../api/kinds/resources.ts'
import { memberPath } from './field-checks.ts'
import { readFragment } from './fragment.ts'

/** The fields that an object sets, with their values; a list is one field. */
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

/** The URL and its headers may contain credentials; a digest is enough to compare them. */
const secret = 'kubeletConfig.staticPodURL'

function walk(value: unknown, at: string, fields: Map<string, string>): void {
  if (!isObject(value)) return void fields.set(at, canonicalJson(value))
  for (const [key, member] of Object.entries(value)) walk(member, memberPath(at, key), fields)
}
