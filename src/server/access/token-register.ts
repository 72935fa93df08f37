import type { Logger } from '@machinist/core/log'
import type { KubeClient, ListWatchScope } from '@machinist/kube/client/client'
import type { Change } from '@machinist/kube/informer/change'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Secret } from '@machinist/kube/kinds/core'
import { secrets } from '@machinist/kube/kinds/core'
import { namespaces, provisioningToken } from '../../api/names.ts'
import type { KnownToken } from './token-match.ts'
import { knownToken } from './token-match.ts'

/** The Secrets that the register reads: user data and other Secrets of the namespace are not requested. */
export const tokenScope: ListWatchScope = {
  namespace: namespaces.provisioning,
  fields: `type=${provisioningToken.type}`,
}

/** The provisioning tokens by pool, as an informer shows them. */
export class TokenRegister {
  readonly #log: Logger
  readonly #byName = new Map<string, KnownToken>()
  readonly #byPool = new Map<string, KnownToken[]>()

  constructor(informer: Pick<Informer<Secret>, 'subscribe'>, log: Logger) {
    this.#log = log
    informer.subscribe((change) => this.#apply(change))
  }

  tokensOf(pool: string): readonly KnownToken[] {
    return this.#byPool.get(pool) ?? []
  }

  #apply({ type, object }: Change<Secret>): void {
    const { name } = object.metadata
    this.#remove(name)
    if (type === 'deleted') return
    const known = knownToken(object)
    if (typeof known === 'string') {
      this.#log.info('ignored a provisioning token Secret', { secret: name, problem: known })
      return
    }
    this.#byName.set(name, known)
    this.#byPool.set(known.token.pool, [...this.tokensOf(known.token.pool), known])
  }

  #remove(name: string): void {
    const known = this.#byName.get(name)
    if (!known) return
    this.#byName.delete(name)
    const { pool } = known.token
    const rest = this.tokensOf(pool).filter((each) => each !== known)
    if (rest.length > 0) this.#byPool.set(pool, rest)
    else this.#byPool.delete(pool)
  }
}

const timeoutMs = 10_000

/** The tokens of all pools, read from the API server. */
export async function listTokens(client: KubeClient): Promise<KnownToken[]> {
  const found: KnownToken[] = []
  for await (const secret of client.listAll(secrets, { ...tokenScope, timeoutMs })) {
    const known = knownToken(secret)
    if (typeof known !== 'string') found.push(known)
  }
  return found
}
