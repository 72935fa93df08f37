import { isObject } from '@machinist/core/encoding/json'

/** The required types of fields, if they are set; other fields are not checked. */
export interface ObjectShape {
  readonly [member: string]: 'string' | 'strings' | 'number' | ObjectShape
}

/** The first field with another type, such as `status.migration.mtu`, and the required type. */
export function shapeProblem(value: unknown, shape: ObjectShape, path = ''): string | undefined {
  if (!isObject(value)) return `${path || 'the value'} must be an object`
  for (const [member, expected] of Object.entries(shape)) {
    const found = Object.hasOwn(value, member) ? value[member] : undefined
    // As everywhere in Kubernetes, null means absent.
    if (found === undefined || found === null) continue
    const at = path === '' ? member : `${path}.${member}`
    const problem = memberProblem(found, expected, at)
    if (problem !== undefined) return problem
  }
  return undefined
}

function memberProblem(
  value: unknown,
  expected: ObjectShape[string],
  at: string,
): string | undefined {
  switch (expected) {
    case 'string':
      return typeof value === 'string' ? undefined : `${at} must be a string`
    case 'strings':
      return Array.isArray(value) && value.every((each) => typeof each === 'string')
        ? undefined
        : `${at} must be a list of strings`
    case 'number':
      return Number.isSafeInteger(value) && (value as number) >= 0
        ? undefined
        : `${at} must be an integer, 0 or more`
    default:
      return shapeProblem(value, expected, at)
  }
}
