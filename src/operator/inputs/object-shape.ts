import { isObject } from '@machinist/core/json'

/** What the values that we read must be, where they are given; all else may be as it likes. */
export interface Shape {
  readonly [member: string]: 'string' | 'strings' | 'number' | Shape
}

/** The first place that is not of this shape, as `status.migration.mtu`, and what it should be. */
export function misshapen(value: unknown, shape: Shape, path = ''): string | undefined {
  if (!isObject(value)) return `${path || 'it'} must be an object`
  for (const [member, wanted] of Object.entries(shape)) {
    const here = Object.hasOwn(value, member) ? value[member] : undefined
    // As everywhere in Kubernetes, null says no more than absence.
    if (here === undefined || here === null) continue
    const at = path === '' ? member : `${path}.${member}`
    const wrong = wrongAt(here, wanted, at)
    if (wrong !== undefined) return wrong
  }
  return undefined
}

function wrongAt(value: unknown, wanted: Shape[string], at: string): string | undefined {
  switch (wanted) {
    case 'string':
      return typeof value === 'string' ? undefined : `${at} must be text`
    case 'strings':
      return Array.isArray(value) && value.every((each) => typeof each === 'string')
        ? undefined
        : `${at} must be a list of texts`
    case 'number':
      return Number.isSafeInteger(value) && (value as number) >= 0
        ? undefined
        : `${at} must be a whole number, 0 or more`
    default:
      return misshapen(value, wanted, at)
  }
}
