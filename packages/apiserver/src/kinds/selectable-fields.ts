import { isObject } from '@machinist/core/encoding/json'
import type { SelectableField } from './served-kind.ts'

/** Fields for field selectors, by dotted path; absent fields read as empty (or `false`). */
export function fieldsOf(paths: readonly string[]): SelectableField[] {
  return paths.map((path) => ({ path, read: (object) => textAt(object, path) }))
}

function textAt(object: Readonly<Record<string, unknown>>, path: string): string {
  let value: unknown = object
  for (const step of path.split('.')) value = isObject(value) ? value[step] : undefined
  if (path === 'source') value = isObject(value) ? value['component'] : undefined
  if (value === undefined || value === null) return truths.has(path) ? 'false' : ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const truths = new Set(['spec.unschedulable', 'spec.hostNetwork'])
