import { quoted } from '@machinist/core/quoted'

/** Any JSON value in a message: on one line and of limited length. Never calls methods of the value. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return value.length === 0 ? '[]' : 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  return JSON.stringify(value) ?? 'nothing'
}
