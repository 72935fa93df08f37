import { timestamp } from '@machinist/core/timestamp'
import type { Secret } from '@machinist/kube/kinds/core'
import { provisioningTokenAnnotations as annotations } from '../../api/annotations.ts'
import { ownLabels } from '../../api/labels.ts'
import type { ProvisioningToken } from '../../fleet/provisioning/token-secret.ts'
import { managedTokenPool, readTokenSecret } from '../../fleet/provisioning/token-secret.ts'
import { repeatMs, tokenValidity } from '../../fleet/provisioning/token-validity.ts'

/** One provisioning token Secret, without its tokens. Times are RFC 3339. */
export interface TokenRow {
  readonly name: string
  readonly pool: string
  readonly state: 'valid' | 'expired' | 'revoked' | 'used' | 'invalid'
  /** The operator maintains and rotates it. */
  readonly isManaged: boolean
  readonly isSingleUse: boolean
  readonly issuedAt?: string
  readonly expiresAt?: string
  /** Until when the token from before the last rotation is accepted. */
  readonly previousValidUntil?: string
  readonly cidrs?: string
  readonly usedAt?: string
  readonly usedBy?: string
  /** Why the Secret is not accepted. */
  readonly problem?: string
}

/** The rows of token Secrets, by pool and name. */
export function tokenRows(secrets: readonly Readonly<Secret>[], now: number): TokenRow[] {
  return secrets
    .map((secret) => tokenRow(secret, now))
    .toSorted((a, b) => (`${a.pool}/${a.name}` < `${b.pool}/${b.name}` ? -1 : 1))
}

function tokenRow(secret: Readonly<Secret>, now: number): TokenRow {
  const { name, labels } = secret.metadata
  const pool = labels?.[ownLabels.pool] ?? ''
  const isManaged = managedTokenPool(secret) !== undefined
  const reading = readTokenSecret(secret)
  if (reading.type === 'invalid') {
    const { problem } = reading
    return { name, pool, state: 'invalid', isManaged, isSingleUse: false, problem }
  }
  const { token } = reading
  const { issuedAt, expiresAt, previous, used, isSingleUse } = token
  const cidrs = secret.metadata.annotations?.[annotations.cidrs]
  const isOverlapping = tokenValidity(token, 'previous', now) === 'valid'
  return {
    name,
    pool,
    state: stateOf(token, now),
    isManaged,
    isSingleUse,
    ...(issuedAt !== undefined && { issuedAt: timestamp(issuedAt) }),
    ...(expiresAt !== undefined && { expiresAt: timestamp(expiresAt) }),
    ...(isOverlapping && { previousValidUntil: timestamp(previous!.validUntil) }),
    ...(cidrs !== undefined && { cidrs }),
    ...(used?.at !== undefined && { usedAt: timestamp(used.at) }),
    ...(used && { usedBy: used.by }),
  }
}

function stateOf(token: ProvisioningToken, now: number): TokenRow['state'] {
  const validity = tokenValidity(token, 'current', now)
  if (validity !== 'valid') return validity
  const { isSingleUse, used } = token
  const isUsedUp = isSingleUse && used && !(used.at !== undefined && now < used.at + repeatMs)
  return isUsedUp ? 'used' : 'valid'
}
