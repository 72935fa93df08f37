import { secrets as fixedSecrets } from '../../api/names.ts'
import { templateReasons } from '../../api/reasons.ts'
import { isBase64 } from '@machinist/core/bytes'
import { isObject, jsonOrUndefined } from '@machinist/core/json'
import type { ObjectKey, ObjectReference } from '@machinist/core/resource'
import { keyText } from '@machinist/core/resource'
import type { Secret } from '@machinist/kube/kinds/core'
import type { Problem } from './decide.ts'

/** The credentials for image registries in one line of JSON, or why there are none. Empty where none are asked for. */
export type PullSecret = { readonly text: string } | { readonly problem: Problem }

const { key } = fixedSecrets.pullSecret
const type = 'kubernetes.io/dockerconfigjson'

/** Which Secret a ControllerConfig names. */
export function pullSecretKey(reference: ObjectReference | undefined): ObjectKey | undefined {
  if (!reference?.name) return undefined
  return {
    namespace: reference.namespace || fixedSecrets.pullSecret.namespace,
    name: reference.name,
  }
}

/** Nothing that is said here tells what is in the Secret. */
export function readPullSecret(
  asked: ObjectKey | undefined,
  secret: Secret | undefined,
): PullSecret {
  if (!asked) return { text: '' }
  const what = `Secret ${keyText(asked)}`
  if (!secret) return missing(`${what}, which spec.pullSecret names, does not exist`)
  if (secret.type !== type) return bad(`${what} is of type ${secret.type || 'Opaque'}, not ${type}`)
  const data = secret.data?.[key]
  if (!data) return bad(`${what} has no ${key}`)
  if (!isBase64(data)) return bad(`${key} of ${what} is not valid base64`)
  const parsed = jsonOrUndefined(Buffer.from(data, 'base64').toString('utf8'))
  if (!isObject(parsed)) return bad(`${key} of ${what} is not a JSON object`)
  if (!isObject(parsed['auths'])) return bad(`${key} of ${what} has no object "auths"`)
  return { text: JSON.stringify(parsed) }
}

/** It may be there or not: only a person can tell, or change it. */
export function unreadablePullSecret(asked: ObjectKey): PullSecret {
  const message = `Secret ${keyText(asked)}, which spec.pullSecret names, may not be read: allow this controller to get it`
  return { problem: { reason: templateReasons.pullSecretUnreadable, message } }
}

const missing = (message: string): PullSecret => ({
  problem: { reason: templateReasons.pullSecretMissing, message },
})
const bad = (message: string): PullSecret => ({
  problem: { reason: templateReasons.badPullSecret, message },
})
