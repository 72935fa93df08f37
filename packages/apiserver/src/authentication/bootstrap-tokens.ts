import { createHash, timingSafeEqual } from 'node:crypto'
import type { UserInfo } from '../identity/user-info.ts'
import { authenticated } from '../identity/user-info.ts'

/** The Secret of a bootstrap token as stored: values in base64. */
export interface BootstrapSecret {
  readonly type?: string
  readonly metadata: { readonly deletionTimestamp?: string }
  readonly data?: Readonly<Record<string, string>> | null
}

/** Looks up a Secret in the namespace kube-system. */
export type FindBootstrapSecret = (name: string) => BootstrapSecret | undefined

/** The user of a bootstrap token `id.secret`; undefined if it is malformed, unknown or expired. */
export function bootstrapUser(
  token: string,
  find: FindBootstrapSecret,
  now: number,
): UserInfo | undefined {
  const [, id, secret] = form.exec(token) ?? []
  if (id === undefined || secret === undefined) return undefined
  const found = find(`bootstrap-token-${id}`)
  if (!found || found.type !== secretType || found.metadata.deletionTimestamp) return undefined
  const value = (key: string): string =>
    Buffer.from(found.data?.[key] ?? '', 'base64').toString('utf8')
  if (value('token-id') !== id || !sameSecret(value('token-secret'), secret)) return undefined
  if (value('usage-bootstrap-authentication') !== 'true') return undefined
  if (isExpired(value('expiration'), now)) return undefined
  const extra = value('auth-extra-groups')
    .split(',')
    .filter((group) => group !== '')
  // Arbitrary groups would let the author of the Secret grant any permission.
  if (!extra.every((group) => extraGroup.test(group))) return undefined
  const groups = [...new Set(['system:bootstrappers', ...extra])]
  return authenticated({ username: `system:bootstrap:${id}`, groups })
}

const form = /^([a-z0-9]{6})\.([a-z0-9]{16})$/
const secretType = 'bootstrap.kubernetes.io/token'
const extraGroup = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/

/** Without an expiration the token does not expire; an unparsable expiration counts as expired. */
function isExpired(expiration: string, now: number): boolean {
  if (expiration === '') return false
  const end = Date.parse(expiration)
  return Number.isNaN(end) || end <= now
}

const sameSecret = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b))
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
