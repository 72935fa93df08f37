import { RateLimits } from '@machinist/core/rate-limits'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { withoutServerMessage } from '@machinist/kube/failure'
import { Informer } from '@machinist/kube/informer/informer'
import type { Secret } from '@machinist/kube/kinds/core'
import { secrets } from '@machinist/kube/kinds/core'
import { readBearer } from '../../fleet/provisioning/bearer.ts'
import { isToken } from '../../fleet/provisioning/token-text.ts'
import type { Access, AccessDecision, AccessRequest } from './access.ts'
import { clientOf, limitKey } from './client-address.ts'
import { ConfirmedRead } from './confirmed-read.ts'
import type { PoolLookup } from './refusal-reports.ts'
import { RefusalReports } from './refusal-reports.ts'
import type { Refusal, RefusalReason } from './refusals.ts'
import { refusalOf, refusalReasons, refuse } from './refusals.ts'
import type { TokenPresentation } from './single-use.ts'
import { claimSingleUse } from './single-use.ts'
import type { KnownToken } from './token-match.ts'
import { matchToken } from './token-match.ts'
import { listTokens, TokenRegister, tokenScope } from './token-register.ts'

/** Refusals per client address: ten at once, then one every six seconds. */
const refusalLimit = { burst: 10, refillMs: 6000, keys: 10_000 }

export interface TokenAccess {
  readonly access: Access
  /** The caller starts it. */
  readonly informer: Informer<Secret>
}

/**
 * Gives the config of a pool to clients with a provisioning token of the pool.
 *
 * Ignition gives up after a 4xx, and a watch may lag behind the user data that carries a new token: a refusal is confirmed by a
 * read from the API server. The rate limit applies to refusals only, because machines behind one address (NAT) must not
 * lock each other out.
 */
export function tokenAccess(context: ControllerContext, poolOf: PoolLookup): TokenAccess {
  const { client, clock, log } = context
  const source = client.listWatch(secrets, tokenScope)
  const informer = new Informer<Secret>({ ...context, resource: 'provisioning tokens', source })
  const register = new TokenRegister(informer, log)
  const reports = new RefusalReports(context, poolOf)
  const limits = new RateLimits(refusalLimit)
  const confirmed = new ConfirmedRead(clock, () => readTokens(context))

  const access = async (request: AccessRequest): Promise<AccessDecision> => {
    const decision = await decide(request)
    if (decision.type === 'allowed') return decision
    const { text } = clientOf(request.address)
    const refusal = limited(decision, limitKey(request.address))
    reports.report(request.pool, text, refusal.reason as RefusalReason)
    return refusal
  }

  async function decide(request: AccessRequest): Promise<AccessDecision> {
    const { pool, authorization, now } = request
    if (authorization === undefined) return refuse(refusalReasons.noToken)
    const presented = readBearer(authorization)
    if (presented === undefined || !isToken(presented)) return refuse(refusalReasons.unknownToken)
    const presentation = { presented, client: clientOf(request.address), now }
    const decision = await decideBy(register.tokensOf(pool), presentation)
    const isOverLimit = limits.waitMs(limitKey(request.address), clock.elapsed()) > 0
    if (decision.type === 'allowed' || decision.status === 503 || isOverLimit) return decision
    const all = await confirmed.read()
    if (!all) return refuse(refusalReasons.tokensUnavailable)
    return decideBy(
      all.filter(({ token }) => token.pool === pool),
      presentation,
    )
  }

  async function decideBy(
    tokens: readonly KnownToken[],
    presentation: TokenPresentation,
  ): Promise<AccessDecision> {
    const { presented, client: from, now } = presentation
    const match = matchToken(tokens, presented, from, now)
    if (!match) return refuse(refusalReasons.unknownToken)
    if (match.verdict === 'allowed') return { type: 'allowed' }
    if (match.verdict !== 'allowed-once') return refusalOf(match.verdict)
    return claimSingleUse(match.known, presentation, context)
  }

  /** Counts a refusal; beyond the limit, the client is asked to wait. */
  function limited(refusal: Refusal, key: string): Refusal {
    if (refusal.status === 503 || limits.pass(key, clock.elapsed())) return refusal
    const seconds = Math.ceil(limits.waitMs(key, clock.elapsed()) / 1000)
    return refuse(refusalReasons.tooManyRefusals, seconds)
  }

  return { access, informer }
}

/** Undefined if the API server does not answer. Logged here, once for all waiting requests. */
async function readTokens({
  client,
  log,
}: Pick<ControllerContext, 'client' | 'log'>): Promise<KnownToken[] | undefined> {
  try {
    return await listTokens(client)
  } catch (error) {
    log.error('cannot read provisioning tokens', withoutServerMessage(error))
    return undefined
  }
}
