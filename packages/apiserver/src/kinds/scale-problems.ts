import { isObject } from '@machinist/core/encoding/json'
import { goText, goType } from '../go/value-text.ts'
import type { StatusCause } from '../status/status-error.ts'
import { invalidValue } from '../status/causes.ts'
import type { ScalePaths } from './served-kind.ts'

const most = 2 ** 31 - 1

/** Validates the replica fields of a custom resource with a scale subresource. */
export function scaleProblems(
  paths: ScalePaths,
  object: Readonly<Record<string, unknown>>,
): StatusCause[] {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = '' } = paths
  return [
    ...countProblems(object, specReplicasPath),
    ...countProblems(object, statusReplicasPath),
    ...(labelSelectorPath === '' ? [] : selectorProblems(object, labelSelectorPath)),
  ]
}

function countProblems(object: unknown, path: string): StatusCause[] {
  const found = valueAt(object, path, 'int64', (value) => Number.isInteger(value))
  if ('wrong' in found) return [invalidValue(path, 0, found.wrong)]
  const count = Number(found.value ?? 0)
  if (count < 0) return [invalidValue(path, count, 'should be a non-negative integer')]
  return count > most ? [invalidValue(path, count, `should be less than or equal to ${most}`)] : []
}

function selectorProblems(object: unknown, path: string): StatusCause[] {
  const found = valueAt(object, path, 'string', (value) => typeof value === 'string')
  return 'wrong' in found ? [invalidValue(path, '', found.wrong)] : []
}

function valueAt(
  object: unknown,
  path: string,
  type: string,
  fits: (value: unknown) => boolean,
): { readonly value: unknown } | { readonly wrong: string } {
  const wrong = (value: unknown, expected: string): { wrong: string } => ({
    wrong: `${path} accessor error: ${goText(value)} is of the type ${goType(value)}, expected ${expected}`,
  })
  let value = object
  for (const step of path.split('.').filter((each) => each !== '')) {
    if (!isObject(value)) return wrong(value, 'map[string]interface{}')
    if (!Object.hasOwn(value, step)) return { value: undefined }
    value = value[step]
  }
  return fits(value) ? { value } : wrong(value, type)
}
