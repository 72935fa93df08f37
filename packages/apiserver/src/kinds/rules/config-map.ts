import type { StatusCause } from '../../status/status-error.ts'
import { invalidValue } from '../../status/causes.ts'
import type { KindRules } from '../kind-rules.ts'
import { membersOf } from '../fields.ts'
import {
  dataBytes,
  keyProblems,
  maxDataBytes,
  immutableProblems,
  tooMuchData,
} from './data-keys.ts'

export const configMapRules: KindRules = {
  validate(map, before) {
    const data = membersOf(map['data'])
    const binary = membersOf(map['binaryData'])
    const size = dataBytes(data, 'utf8') + dataBytes(binary, 'base64')
    return [
      ...immutableProblems(map, before, ['data', 'binaryData']),
      ...Object.keys(data).flatMap((key) => textKeyProblems(key, Object.hasOwn(binary, key))),
      ...Object.keys(binary).flatMap((key) => keyProblems('binaryData', key)),
      ...(size > maxDataBytes ? [tooMuchData('[]')] : []),
    ]
  },
}

function textKeyProblems(key: string, inBoth: boolean): StatusCause[] {
  const twice = 'duplicate of key present in binaryData'
  return [
    ...keyProblems('data', key),
    ...(inBoth ? [invalidValue(`data[${key}]`, key, twice)] : []),
  ]
}
