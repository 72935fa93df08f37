import { isBase64 } from '@machinist/core/encoding/bytes'
import { isObject, jsonOrUndefined } from '@machinist/core/encoding/json'
import type { ObjectKey, ObjectReference } from '@machinist/core/objects/resource'
import { keyText } from '@machinist/core/objects/resource'
import type { Secret } from '@machinist/kube/kinds/core'
import { secrets as fixedSecrets } from '../../api/names.ts'
import { templateReasons } from '../../api/reasons.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import type { RoleProblem } from './roles.ts'

/** The registry credentials as JSON on one line, or why they are invalid. Empty if spec.pullSecret is not set. */
export type PullSecret = { readonly text: string } | { readonly problem: RoleProblem }

const { key } = fixedSecrets.pullSecret
const type = 'kubernetes.io/dockerconfigjson'

/** The Secret of spec.pullSecret. */
export function pullSecretKey(reference: ObjectReference | undefined): ObjectKey | undefined {
  if (!reference?.name) return undefined
  return {
    namespace: reference.namespace || fixedSecrets.pullSecret.namespace,
    name: reference.name,
  }
}

/** Whether changes of the Secret trigger a reconcile. */
export function isPullSecretWatched({ spec }: ControllerConfig): boolean {
  const secretKey = pullSecretKey(spec.pullSecret)
  return secretKey === undefined || keyText(secretKey) === keyText(fixedSecrets.pullSecret)
}

/** Messages never contain data of the Secret. */
export function readPullSecret(
  secretKey: ObjectKey | undefined,
  secret: Secret | undefined,
): PullSecret {
  if (!secretKey) return { text: '' }
  const name = `Secret ${keyText(secretKey)}`
  if (!secret) return missing(`${name}, which spec.pullSecret names, does not exist`)
  if (secret.type !== type)
    return invalid(`${name} has type ${secret.type || 'Opaque'}, not ${type}`)
  const data = secret.data?.[key]
  if (!data) return invalid(`${name} has no ${key}`)
  if (!isBase64(data)) return invalid(`${key} of ${name} is not valid base64`)
  const parsed = jsonOrUndefined(Buffer.from(data, 'base64').toString('utf8'))
  if (!isObject(parsed)) return invalid(`${key} of ${name} is not a JSON object`)
  if (!isObject(parsed['auths'])) return invalid(`${key} of ${name} has no object "auths"`)
  return { text: JSON.stringify(parsed) }
}

/** RBAC forbids reading it: an administrator must act. */
export function unreadablePullSecret(secretKey: ObjectKey): PullSecret {
  const message = `Secret ${keyText(secretKey)}, which spec.pullSecret names, cannot be read: grant this controller permission to get it`
  return { problem: { reason: templateReasons.pullSecretUnreadable, message } }
}

const missing = (message: string): PullSecret => ({
  problem: { reason: templateReasons.pullSecretMissing, message },
})
const invalid = (message: string): PullSecret => ({
  problem: { reason: templateReasons.badPullSecret, message },
})
