import { hash, timingSafeEqual } from 'node:crypto'
import type { Secret } from '@machinist/kube/kinds/core'
import type { ProvisioningToken, TokenReading } from '../../fleet/provisioning/token-secret.ts'
import { readTokenSecret } from '../../fleet/provisioning/token-secret.ts'
import type {
  TokenClient,
  TokenPart,
  TokenVerdict,
} from '../../fleet/provisioning/token-validity.ts'
import { tokenVerdict } from '../../fleet/provisioning/token-validity.ts'

/** A token Secret with the digests of its tokens, prepared for comparisons. */
export interface KnownToken {
  readonly token: ProvisioningToken
  readonly resourceVersion: string
  readonly digests: readonly (readonly [part: TokenPart, digest: Uint8Array])[]
}

/** Reads a Secret; returns the problem if it is not accepted. */
export function knownToken(secret: Readonly<Secret>): KnownToken | string {
  const reading: TokenReading = readTokenSecret(secret)
  if (reading.type === 'invalid') return reading.problem
  const { token } = reading
  const { resourceVersion = '' } = secret.metadata
  const current = ['current', digestOf(token.current)] as const
  const previous = token.previous && (['previous', digestOf(token.previous.text)] as const)
  return { token, resourceVersion, digests: previous ? [current, previous] : [current] }
}

export interface TokenMatch {
  readonly known: KnownToken
  readonly verdict: TokenVerdict
}

/**
 * The best verdict about a presented token; undefined if no Secret has it. Compares digests with every token of the pool, so
 * that the time depends neither on the tokens nor on which of them is equal.
 */
export function matchToken(
  tokens: readonly KnownToken[],
  presented: string,
  client: TokenClient,
  now: number,
): TokenMatch | undefined {
  const digest = digestOf(presented)
  let best: TokenMatch | undefined
  for (const known of tokens) {
    for (const [part, expected] of known.digests) {
      if (!timingSafeEqual(expected, digest)) continue
      const match = { known, verdict: tokenVerdict(known.token, part, client, now) }
      if (!best || rank(match) < rank(best)) best = match
    }
  }
  return best
}

/** Several Secrets may have the same token: the most permissive counts, and no use is spent without need. */
const order: readonly TokenVerdict[] = [
  'allowed',
  'allowed-once',
  'address',
  'used',
  'expired',
  'revoked',
]
const rank = ({ verdict }: TokenMatch): number => order.indexOf(verdict)

const digestOf = (text: string): Uint8Array => hash('sha256', text, 'buffer')
