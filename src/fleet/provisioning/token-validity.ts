import type { AddressRange } from '../network/address-range.ts'
import { contains } from '../network/address-range.ts'
import type { ProvisioningToken } from './token-secret.ts'

/** Which of the tokens of a Secret. */
export type TokenPart = 'current' | 'previous'

export type TokenValidity = 'valid' | 'expired' | 'revoked'

/** Whether a token is accepted at this time, regardless of the client. */
export function tokenValidity(
  { previous, expiresAt = Infinity, isRevoked }: ProvisioningToken,
  part: TokenPart,
  now: number,
): TokenValidity {
  if (isRevoked) return 'revoked'
  const end = part === 'current' ? Infinity : (previous?.validUntil ?? -Infinity)
  return now < Math.min(end, expiresAt) ? 'valid' : 'expired'
}

/** How long the client that used a single-use token may repeat its request: Ignition retries after failures. */
export const repeatMs = 10 * 60_000

export type TokenVerdict =
  | 'allowed'
  /** Allowed once the use is recorded. */
  | 'allowed-once'
  | 'expired'
  | 'revoked'
  /** The token does not allow this address. */
  | 'address'
  /** Another client used the single-use token, or its time for repetitions is over. */
  | 'used'

export interface TokenClient {
  /** The bytes of its address; undefined if the address is unknown. */
  readonly bytes: Uint8Array | undefined
  /** The canonical text of its address, as recorded in the Secret. */
  readonly text: string
}

/** Whether a client that presents this token gets the config of the pool. */
export function tokenVerdict(
  token: ProvisioningToken,
  part: TokenPart,
  client: TokenClient,
  now: number,
): TokenVerdict {
  const validity = tokenValidity(token, part, now)
  if (validity !== 'valid') return validity
  if (token.ranges && !isWithin(token.ranges, client)) return 'address'
  if (!token.isSingleUse) return 'allowed'
  const { used } = token
  if (!used) return 'allowed-once'
  const isSameClient = client.bytes !== undefined && used.by === client.text
  return isSameClient && used.at !== undefined && now < used.at + repeatMs ? 'allowed' : 'used'
}

const isWithin = (ranges: readonly AddressRange[], { bytes }: TokenClient): boolean =>
  bytes !== undefined && ranges.some((range) => contains(range, bytes))
