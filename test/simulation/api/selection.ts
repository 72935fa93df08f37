import type { Stored } from './memory-api.ts'

/** `spec.nodeName=worker-1,metadata.name!=x`: only string fields are supported. */
export function fieldSelector(text: string): (object: Stored) => boolean {
  const terms = text.split(',').filter(Boolean).map(termOf)
  return (object) =>
    terms.every(({ path, value, equal }) => (textAt(object, path) === value) === equal)
}

function termOf(term: string): { path: readonly string[]; value: string; equal: boolean } {
  const [, path = '', not = '', value = ''] = /^([^=!]+)(!?)==?(.*)$/.exec(term) ?? []
  return { path: path.split('.'), value, equal: not === '' }
}

function textAt(object: unknown, path: readonly string[]): string {
  let value = object
  for (const key of path) value = (value as Record<string, unknown> | undefined)?.[key]
  return typeof value === 'string' ? value : ''
}
