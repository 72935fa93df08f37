import { isBase64 } from '@machinist/core/bytes'
import type { ObjectKey } from '@machinist/core/resource'
import { keyText, referenceTo } from '@machinist/core/resource'
import type { Secret } from '@machinist/kube/kinds/core'
import { secrets } from '@machinist/kube/kinds/core'
import type { InputProblem } from '../inputs/problem.ts'
import type { RegistryLogins } from '../../api/trust/registry-logins.ts'
import { isUnreadable, readLogins } from '../../api/trust/registry-logins.ts'
import type { TrustFacts } from './facts.ts'
import { isToBeRemoved, secretIn } from './facts.ts'
import { trustReasons } from './reasons.ts'

export type SecretLogins = { readonly logins: RegistryLogins } | { readonly problem: InputProblem }

/** How a Secret holds logins. */
export interface LoginsForm {
  readonly key: string
  /** The type it must have, if that matters. */
  readonly type?: string
  readonly hasAuths: boolean
}

/** As the cluster's pull secret has them, and as those of service accounts do. */
export const loginsForms = {
  cluster: { key: '.dockerconfigjson', type: 'kubernetes.io/dockerconfigjson', hasAuths: true },
  serviceAccount: { key: '.dockercfg', hasAuths: false },
} as const satisfies Record<string, LoginsForm>

/** The logins in a Secret. Nothing that is said about it tells what is in it. */
export function loginsIn(facts: TrustFacts, key: ObjectKey, form: LoginsForm): SecretLogins {
  const seen = secretIn(facts, key)
  const where = `Secret ${keyText(key)}`
  if (seen.state === 'unknown') return { problem: seen.problem }
  if (seen.state === 'absent') {
    const message = `${where} is not there: bring it back`
    return { problem: { reason: trustReasons.missing, message } }
  }
  if (isToBeRemoved(seen.object)) return { logins: new Map() }
  const read = readSecret(seen.object, form)
  if (!('reason' in read)) return { logins: read }
  const message = `${where}${read.what}`
  return { problem: { reason: read.reason, message, about: referenceTo(secrets, seen.object) } }
}

function readSecret(
  { type, data }: Readonly<Secret>,
  form: LoginsForm,
): RegistryLogins | { readonly reason: string; readonly what: string } {
  const { key } = form
  if (form.type !== undefined && type !== form.type) {
    const what = ` is of type ${type || 'Opaque'}: make it anew with type ${form.type}`
    return { reason: trustReasons.wrongType, what }
  }
  const text = data && Object.hasOwn(data, key) ? data[key] : undefined
  if (text === undefined) return { reason: trustReasons.missingKey, what: ` has no key ${key}` }
  if (text === '') {
    const what = `, key ${key}: is empty: write {"auths":{}} if there shall be no logins`
    return { reason: trustReasons.empty, what }
  }
  const logins = isBase64(text)
    ? readLogins(Buffer.from(text, 'base64'), form.hasAuths)
    : { what: 'is not base64' }
  return isUnreadable(logins)
    ? { reason: trustReasons.notJson, what: `, key ${key}: ${logins.what}` }
    : logins
}
