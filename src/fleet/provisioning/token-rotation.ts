import type { OwnerReference } from '@machinist/core/objects/resource'
import { apiVersionOf } from '@machinist/core/objects/resource'
import { timestamp } from '@machinist/core/timestamp'
import type { Secret } from '@machinist/kube/kinds/core'
import { provisioningTokenAnnotations as annotations } from '../../api/annotations.ts'
import { ownLabels } from '../../api/labels.ts'
import { namespaces, provisioningToken } from '../../api/names.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { machineConfigPools } from '../../api/kinds/resources.ts'
import type { ProvisioningToken } from './token-secret.ts'
import { singleUse } from './token-secret.ts'
import type { TokenSettings } from './token-settings.ts'

const { current, previous } = provisioningToken.keys
const base64 = (text: string): string => Buffer.from(text).toString('base64')
/** To the next second, so that a token is never valid for less time than promised. */
const endTime = (ms: number): string => timestamp(Math.ceil(ms / 1000) * 1000)

/** Limits of a token that a user creates. */
export interface NewTokenLimits {
  readonly expiresAt?: number | undefined
  readonly cidrs?: readonly string[] | undefined
  readonly isSingleUse?: boolean | undefined
}

/** A new token Secret. It is deleted with its pool. */
export function newTokenSecret(
  name: string,
  pool: Readonly<MachineConfigPool>,
  token: string,
  now: number,
  { expiresAt, cidrs = [], isSingleUse }: NewTokenLimits = {},
): Secret {
  return {
    metadata: {
      name,
      namespace: namespaces.provisioning,
      labels: { [ownLabels.pool]: pool.metadata.name },
      annotations: {
        [annotations.issuedAt]: timestamp(now),
        ...(expiresAt !== undefined && { [annotations.expiresAt]: endTime(expiresAt) }),
        ...(cidrs.length > 0 && { [annotations.cidrs]: cidrs.join() }),
        ...(isSingleUse && { [annotations.uses]: singleUse }),
      },
      ownerReferences: [poolOwner(pool)],
    },
    type: provisioningToken.type,
    data: { [current]: base64(token) },
  }
}

export function poolOwner({ metadata }: Readonly<MachineConfigPool>): OwnerReference {
  const { name, uid = '' } = metadata
  return { apiVersion: apiVersionOf(machineConfigPools), kind: machineConfigPools.kind, name, uid }
}

/** A merge patch of a token Secret; `null` removes a key. */
export interface TokenPatch {
  readonly annotations: Readonly<Record<string, string | null>>
  readonly data: Readonly<Record<string, string | null>>
}

/** Replaces the token. The one before is accepted until the overlap ends, because user data and machines still have it. */
export function rotateToken(
  { current: before }: Pick<ProvisioningToken, 'current'>,
  token: string,
  now: number,
  { overlapMs }: Pick<TokenSettings, 'overlapMs'>,
): TokenPatch {
  return {
    annotations: {
      [annotations.issuedAt]: timestamp(now),
      [annotations.previousValidUntil]: endTime(now + overlapMs),
    },
    data: { [current]: base64(token), [previous]: base64(before) },
  }
}

/** Replaces a token that is not readable, and so was never accepted. */
export function replaceToken(token: string, now: number): TokenPatch {
  return {
    annotations: { [annotations.issuedAt]: timestamp(now), [annotations.previousValidUntil]: null },
    data: { [current]: base64(token), [previous]: null },
  }
}

/** Removes the previous token after the overlap. */
export const retirePrevious: TokenPatch = {
  annotations: { [annotations.previousValidUntil]: null },
  data: { [previous]: null },
}

/**
 * When the token is rotated. Not before the overlap of the last rotation ends: a Secret has one previous token, and a further
 * rotation would revoke it early.
 */
export function nextRotationAt(
  { issuedAt = -Infinity, previous }: Pick<ProvisioningToken, 'issuedAt' | 'previous'>,
  { refreshMs }: Pick<TokenSettings, 'refreshMs'>,
): number {
  return Math.max(issuedAt + refreshMs, previous?.validUntil ?? -Infinity)
}
