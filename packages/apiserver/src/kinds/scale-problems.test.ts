import { describe, expect, it } from 'vitest'
import { scaleProblems } from './scale-problems.ts'

const paths = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.selector',
}
const reported = (object: Record<string, unknown>): string[] =>
  scaleProblems(paths, object).map(({ field, message }) => `${field}: ${message}`)

describe('the scale of a custom resource', () => {
  it.each([[{}], [{ spec: { replicas: 0 }, status: { replicas: 3, selector: 'a=b' } }]])(
    'is valid: %j',
    (object) => {
      expect(reported(object)).toEqual([])
    },
  )

  it.each([
    [
      { spec: { replicas: -1 } },
      '.spec.replicas: Invalid value: -1: should be a non-negative integer',
    ],
    [
      { status: { replicas: 2 ** 31 } },
      '.status.replicas: Invalid value: 2147483648: should be less than or equal to 2147483647',
    ],
    [
      { spec: { replicas: 'x' } },
      '.spec.replicas: Invalid value: 0: .spec.replicas accessor error: x is of the type string, expected int64',
    ],
    [
      { spec: 'x' },
      '.spec.replicas: Invalid value: 0: .spec.replicas accessor error: x is of the type string, expected map[string]interface{}',
    ],
    [
      { spec: [] },
      '.spec.replicas: Invalid value: 0: .spec.replicas accessor error: [] is of the type []interface {}, expected map[string]interface{}',
    ],
    [
      { status: { selector: { a: 1 } } },
      '.status.selector: Invalid value: "": .status.selector accessor error: map[a:1] is of the type map[string]interface {}, expected string',
    ],
  ])('is invalid: %j', (object, message) => {
    expect(reported(object)).toEqual([message])
  })
})
