import { decodeDataUrl } from '@machinist/core/encoding/data-url'
import { isObject, jsonOrUndefined } from '@machinist/core/encoding/json'
import { InvalidInput } from '@machinist/core/errors'
import { readBundle } from '@machinist/pki/bundle'

/** Fingerprints of the CAs by which a machine with this pointer config verifies the config server; empty if it has none. */
export function pointerAuthorities(pointer: string): readonly string[] {
  let value: unknown = jsonOrUndefined(pointer)
  for (const key of ['ignition', 'security', 'tls', 'certificateAuthorities']) {
    value = isObject(value) ? value[key] : undefined
  }
  const sources = Array.isArray(value) ? (value as unknown[]) : []
  return [...new Set(sources.flatMap((each) => fingerprintsIn(isObject(each) && each['source'])))]
}

function fingerprintsIn(source: unknown): string[] {
  if (typeof source !== 'string') return []
  try {
    return [...readBundle(Buffer.from(decodeDataUrl(source).bytes).toString()).bundle.keys()]
  } catch (error) {
    if (error instanceof InvalidInput) return []
    throw error
  }
}
