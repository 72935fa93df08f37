import { isObject } from '@machinist/core/json'
import type { Cause } from '../../refusal.ts'
import { invalidValue, requiredValue } from '../../schema/causes.ts'
import type { ApiObject, KindRules } from '../kind-rules.ts'
import { dataBytes, keyProblems, mostDataBytes, sealedProblems, tooMuchData } from './data-keys.ts'
import { membersOf, section, textOf } from './fields.ts'

export const secretRules: KindRules = {
  /** `stringData` is for writing only: it ends up in `data`, encoded. */
  complete(secret) {
    const plain = secret['stringData']
    if (isObject(plain)) {
      const data = section(secret, 'data')
      for (const [key, value] of Object.entries(plain)) {
        data[key] = Buffer.from(String(value), 'utf8').toString('base64')
      }
    }
    delete secret['stringData']
    secret['type'] ??= 'Opaque'
  },
  validate(secret, before) {
    const data = membersOf(secret['data'])
    return [
      ...(before && secret['type'] !== before['type']
        ? [invalidValue('type', secret['type'], 'field is immutable')]
        : []),
      ...sealedProblems(secret, before, ['data']),
      ...Object.keys(data).flatMap((key) => keyProblems('data', key)),
      ...(dataBytes(data, 'base64') > mostDataBytes ? [tooMuchData('data')] : []),
      ...missingKeys(secret),
    ]
  },
}

const accountName = 'kubernetes.io/service-account.name'

/** What the well-known types of secrets must hold. */
function missingKeys(secret: ApiObject): Cause[] {
  const data = membersOf(secret['data'])
  const missing = (...keys: string[]): Cause[] =>
    keys.filter((key) => data[key] === undefined).map((key) => requiredValue(`data[${key}]`))
  switch (secret['type']) {
    case 'kubernetes.io/tls':
      return missing('tls.crt', 'tls.key')
    case 'kubernetes.io/dockercfg':
      return missing('.dockercfg')
    case 'kubernetes.io/dockerconfigjson':
      return missing('.dockerconfigjson')
    case 'kubernetes.io/basic-auth': {
      const absent = missing('username', 'password')
      return absent.length === 2 ? absent : []
    }
    case 'kubernetes.io/ssh-auth':
      return textOf(data['ssh-privatekey']) === '' ? [requiredValue('data[ssh-privatekey]')] : []
    case 'kubernetes.io/service-account-token':
      return secret.metadata.annotations?.[accountName]
        ? []
        : [requiredValue(`metadata.annotations[${accountName}]`)]
    default:
      return []
  }
}
