import { lenientUtf8 } from '@machinist/core/encoding/bytes'
import { isObject } from '@machinist/core/encoding/json'
import { parseYamlDocuments } from '@machinist/core/encoding/yaml'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { machineConfigs } from '../../api/kinds/resources.ts'
import { isKind, itemsOf } from '../documents.ts'

/** One config of a file: an Ignition config as text (with lines and columns) or as a value, or a MachineConfig. */
export type ConfigDocument =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'value'; readonly value: unknown }
  | { readonly type: 'machineConfig'; readonly machineConfig: MachineConfig }

/** The configs of a file: an Ignition config as JSON or YAML, or MachineConfigs in any number of documents and lists. */
export function configDocuments(source: string | Uint8Array, origin: string): ConfigDocument[] {
  const text = typeof source === 'string' ? source : lenientUtf8(source)
  if (isIgnitionJson(text)) return [{ type: 'text', text }]
  return parseYamlDocuments(text, origin)
    .flatMap((document) => (isObject(document) ? itemsOf(document) : [document]))
    .flatMap((document): ConfigDocument[] => {
      if (!isObject(document)) return [{ type: 'value', value: document }]
      if (isKind(document, machineConfigs)) {
        return [{ type: 'machineConfig', machineConfig: document as unknown as MachineConfig }]
      }
      const isOtherKind = typeof document['kind'] === 'string' && 'apiVersion' in document
      return isOtherKind ? [] : [{ type: 'value', value: document }]
    })
}

/** JSON without a kind, or invalid JSON: the Ignition parser reports the position of errors. */
function isIgnitionJson(text: string): boolean {
  if (!/^\s*(?:\{|$)/.test(text)) return false
  try {
    const value: unknown = JSON.parse(text)
    return !isObject(value) || typeof value['kind'] !== 'string'
  } catch {
    return true
  }
}
