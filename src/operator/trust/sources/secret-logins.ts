import { isBase64 } from '@machinist/core/encoding/bytes'
import type { ObjectKey } from '@machinist/core/objects/resource'
import { keyText, referenceTo } from '@machinist/core/objects/resource'
import type { Secret } from '@machinist/kube/kinds/core'
import { secrets } from '@machinist/kube/kinds/core'
import type { InputProblem } from '../../inputs/problem.ts'
import type { RegistryLogins } from '../../../api/trust/registry-logins.ts'
import { isUnreadable, readLogins } from '../../../api/trust/registry-logins.ts'
import type { TrustFacts } from '../facts/facts.ts'
import { isToBeRemoved, secretIn } from '../facts/facts.ts'
import { trustReasons } from '../facts/reasons.ts'

export type SecretLogins = { readonly logins: RegistryLogins } | { readonly problem: InputProblem }

/** The format of logins in a Secret. */
export interface LoginsForm {
  readonly key: string
  /** The required type, if any. */
  readonly type?: string
  readonly hasAuths: boolean
}

/** The formats of the cluster's pull secret, and of pull secrets of ServiceAccounts. */
export const loginsForms = {
  cluster: { key: '.dockerconfigjson', type: 'kubernetes.io/dockerconfigjson', hasAuths: true },
  serviceAccount: { key: '.dockercfg', hasAuths: false },
} as const satisfies Record<string, LoginsForm>

/** The logins in a Secret. Problems never contain its values. */
export function loginsIn(facts: TrustFacts, key: ObjectKey, form: LoginsForm): SecretLogins {
  const seen = secretIn(facts, key)
  const where = `Secret ${keyText(key)}`
  if (seen.state === 'unknown') return { problem: seen.problem }
  if (seen.state === 'absent') {
    const message = `${where} is missing: create it again`
    return { problem: { reason: trustReasons.missing, message } }
  }
  if (isToBeRemoved(seen.object)) return { logins: new Map() }
  const read = readSecret(seen.object, form)
  if (!('reason' in read)) return { logins: read }
  const message = `${where}${read.detail}`
  return { problem: { reason: read.reason, message, about: referenceTo(secrets, seen.object) } }
}

function readSecret(
  { type, data }: Readonly<Secret>,
  form: LoginsForm,
): RegistryLogins | { readonly reason: string; readonly detail: string } {
  const { key } = form
  if (form.type !== undefined && type !== form.type) {
    const detail = ` has type ${type || 'Opaque'}: recreate it with type ${form.type}`
    return { reason: trustReasons.wrongType, detail }
  }
  const text = data && Object.hasOwn(data, key) ? data[key] : undefined
  if (text === undefined) {
    return { reason: trustReasons.missingKey, detail: ` has no key ${key}: add it` }
  }
  if (text === '') {
    const detail = `, key ${key}: it is empty; set {"auths":{}} for no logins`
    return { reason: trustReasons.empty, detail }
  }
  const logins = isBase64(text)
    ? readLogins(Buffer.from(text, 'base64'), form.hasAuths)
    : { what: 'is not base64' }
  return isUnreadable(logins)
    ? { reason: trustReasons.notJson, detail: `, key ${key}: ${logins.what}; correct the Secret` }
    : logins
}
