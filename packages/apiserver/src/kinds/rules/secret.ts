import { isObject } from '@machinist/core/encoding/json'
import type { StatusCause } from '../../status/status-error.ts'
import { invalidValue, requiredValue } from '../../status/causes.ts'
import type { ApiObject, KindRules } from '../kind-rules.ts'
import { membersOf, section, textOf } from '../fields.ts'
import {
  dataBytes,
  keyProblems,
  maxDataBytes,
  immutableProblems,
  tooMuchData,
} from './data-keys.ts'

export const secretRules: KindRules = {
  /** `stringData` is write-only: it is encoded into `data`. */
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
      ...immutableProblems(secret, before, ['data']),
      ...Object.keys(data).flatMap((key) => keyProblems('data', key)),
      ...(dataBytes(data, 'base64') > maxDataBytes ? [tooMuchData('data')] : []),
      ...missingKeys(secret),
    ]
  },
}

const accountName = 'kubernetes.io/service-account.name'

/** Required keys of the well-known Secret types. */
function missingKeys(secret: ApiObject): StatusCause[] {
  const data = membersOf(secret['data'])
  const missing = (...keys: string[]): StatusCause[] =>
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
