import type { Cause } from '../../refusal.ts'
import { invalidValue } from '../../schema/causes.ts'
import type { KindRules } from '../kind-rules.ts'
import { dataBytes, keyProblems, mostDataBytes, sealedProblems, tooMuchData } from './data-keys.ts'
import { membersOf } from './fields.ts'

export const configMapRules: KindRules = {
  validate(map, before) {
    const data = membersOf(map['data'])
    const binary = membersOf(map['binaryData'])
    const size = dataBytes(data, 'utf8') + dataBytes(binary, 'base64')
    return [
      ...sealedProblems(map, before, ['data', 'binaryData']),
      ...Object.keys(data).flatMap((key) => textKeyProblems(key, Object.hasOwn(binary, key))),
      ...Object.keys(binary).flatMap((key) => keyProblems('binaryData', key)),
      ...(size > mostDataBytes ? [tooMuchData('[]')] : []),
    ]
  },
}

function textKeyProblems(key: string, inBoth: boolean): Cause[] {
  const twice = 'duplicate of key present in binaryData'
  return [
    ...keyProblems('data', key),
    ...(inBoth ? [invalidValue(`data[${key}]`, key, twice)] : []),
  ]
}
