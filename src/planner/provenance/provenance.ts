import { gzipSync } from 'node:zlib'
import { decodeBase64, gunzip } from '@machinist/core/encoding/bytes'
import { InvalidInput } from '@machinist/core/errors'
import { isObject } from '@machinist/core/encoding/json'
import { ownAnnotations } from '../../api/annotations.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import type { Provenance } from '../model/plan-input.ts'
import type { ChangeKind } from '../model/update-plan.ts'

/**
 * Maximum length of the provenance annotation of a rendered MachineConfig. Format: `1:`, followed by base64 of gzip of a table of
 * names and, per kind, the index of the name for each key. All annotations of an object may have 256 KiB; this one takes at most half.
 */
export const maxProvenanceLength = 128 * 1024

const formatPrefix = '1:'
/** A rendered config has at most 1.5 MiB, so valid provenance is much smaller. */
const maxDecompressedBytes = 16 * 1024 * 1024

/** Drops the kinds with the most entries if the annotation would be too long; their origin is unknown then. */
export function encodeProvenance(provenance: Provenance): string {
  const kinds = Object.entries(provenance) as [ChangeKind, Record<string, string>][]
  const bySize = kinds.toSorted(([, a], [, b]) => size(a) - size(b))
  for (let kept = bySize.length; kept > 0; kept--) {
    const text = packed(bySize.slice(0, kept))
    if (text.length <= maxProvenanceLength) return text
  }
  return packed([])
}

/** The provenance of a rendered MachineConfig; undefined if it has none or it is invalid. */
export function provenanceOf(machineConfig: MachineConfig): Provenance | undefined {
  const annotations: unknown = machineConfig.metadata?.annotations
  const text = isObject(annotations) ? annotations[ownAnnotations.provenance] : undefined
  return typeof text === 'string' ? decodeProvenance(text) : undefined
}

/** Parses the annotation. Invalid data and later formats are ignored, because provenance is informational. */
export function decodeProvenance(text: string): Provenance | undefined {
  if (!text.startsWith(formatPrefix) || text.length > maxProvenanceLength) return undefined
  try {
    const bytes = gunzip(decodeBase64(text.slice(formatPrefix.length)), maxDecompressedBytes)
    return unpacked(JSON.parse(Buffer.from(bytes).toString('utf8')))
  } catch (error) {
    if (error instanceof InvalidInput || error instanceof SyntaxError) return undefined
    throw error
  }
}

function packed(kinds: readonly (readonly [string, Readonly<Record<string, string>>])[]): string {
  const positions = new Map<string, number>()
  const position = (name: string): number => {
    const known = positions.get(name) ?? positions.size
    positions.set(name, known)
    return known
  }
  // Entries instead of objects, because of keys such as `__proto__`.
  const by = kinds
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, keys]) => [
      kind,
      Object.entries(keys).map(([key, name]) => [key, position(name)] as const),
    ])
  const text = JSON.stringify({ names: [...positions.keys()], by })
  return `${formatPrefix}${gzipSync(text).toString('base64')}`
}

function unpacked(value: unknown): Provenance | undefined {
  if (!isObject(value) || !isTexts(value['names']) || !Array.isArray(value['by'])) return undefined
  const { names } = value
  const kinds = value['by'].map((kind) => readKind(kind, names))
  return kinds.includes(undefined)
    ? undefined
    : Object.fromEntries(kinds as [string, Record<string, string>][])
}

function readKind(
  value: unknown,
  names: readonly string[],
): [string, Record<string, string>] | undefined {
  if (!Array.isArray(value) || typeof value[0] !== 'string' || !Array.isArray(value[1])) {
    return undefined
  }
  const keys: [string, string][] = []
  for (const entry of value[1] as unknown[]) {
    const [key, at] = Array.isArray(entry) ? (entry as unknown[]) : []
    const name = typeof at === 'number' ? names[at] : undefined
    if (typeof key !== 'string' || name === undefined) return undefined
    keys.push([key, name])
  }
  return [value[0], Object.fromEntries(keys)]
}

const size = (keys: object): number => Object.keys(keys).length

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')
