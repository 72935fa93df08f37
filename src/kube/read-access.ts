import type { Clock } from '../base/clock.ts'
import { sha256Hex } from '../base/digest.ts'
import type { Logger } from '../base/log.ts'
import type { KubeClient } from './client.ts'
import { withoutQuotes } from './failure.ts'
import { tokenReviews } from './kinds/authentication.ts'
import { subjectAccessReviews } from './kinds/authorization.ts'

export interface ReadAccessOptions {
  readonly api: Pick<KubeClient, 'create'>
  readonly clock: Clock
  readonly log: Logger
}

/** `unknown`: nobody that the cluster knows. `busy`, `unclear`: nothing is known, ask again. */
export type Verdict = 'allowed' | 'unknown' | 'forbidden' | 'busy' | 'unclear'

/** How long an answer counts: who may read for a minute longer than they should reads numbers. */
const keptMs = { allowed: 60_000, refused: 10_000 }
const mostKept = 64
/** Strangers' tokens that are asked about. Whoever tries out tokens must not trouble the API server from every node. */
const strangersPerMinute = 30
/** Of these, from one address: one who tries them out must not keep out another with a new token. */
const fromOneAddress = 10

interface Kept {
  readonly verdict: Promise<Verdict>
  /** By the clock's `elapsed`. */
  until: number
  wasAllowed: boolean
}

/** Who may read a page of ours: the cluster knows whose token it is, and whether that one may get the path. */
export class ReadAccess {
  readonly #options: ReadAccessOptions
  readonly #kept = new Map<string, Kept>()
  #strangers: string[] = []
  #countedFrom = 0

  constructor(options: ReadAccessOptions) {
    this.#options = options
  }

  /** `from`: the address of who asks. */
  async mayGet(path: string, token: string, from: string): Promise<Verdict> {
    const now = this.#options.clock.elapsed()
    // Not the token itself: nobody should find it in our memory.
    const key = sha256Hex(`${path}\n${token}`)
    const before = this.#kept.get(key)
    if (before && now < before.until) return before.verdict
    if (!before?.wasAllowed && !this.#hasRoom(now, from)) return 'busy'
    const wasAllowed = before?.wasAllowed ?? false
    const kept: Kept = {
      verdict: this.#asked(path, token, wasAllowed),
      until: Infinity,
      wasAllowed,
    }
    this.#keep(key, kept)
    const verdict = await kept.verdict
    this.#settle(key, kept, verdict)
    return verdict
  }

  #hasRoom(now: number, from: string): boolean {
    if (now - this.#countedFrom >= 60_000) {
      this.#countedFrom = now
      this.#strangers = []
    }
    if (this.#strangers.length >= strangersPerMinute) return false
    if (this.#strangers.filter((each) => each === from).length >= fromOneAddress) return false
    this.#strangers.push(from)
    return true
  }

  #keep(key: string, kept: Kept): void {
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    if (this.#kept.size <= mostKept) return
    // Those who may read are remembered before those who tried.
    const all = [...this.#kept]
    const [oldest] = all.find(([, { wasAllowed }]) => !wasAllowed) ?? all[0]!
    this.#kept.delete(oldest)
  }

  #settle(key: string, kept: Kept, verdict: Verdict): void {
    if (verdict === 'unclear') return void this.#kept.delete(key)
    kept.wasAllowed = verdict === 'allowed'
    const { clock } = this.#options
    kept.until = clock.elapsed() + (kept.wasAllowed ? keptMs.allowed : keptMs.refused)
  }

  /** Numbers are wanted most while the API server is away: whoever could read them goes on. */
  async #asked(path: string, token: string, wasAllowed: boolean): Promise<Verdict> {
    const verdict = await this.#ask(path, token)
    return verdict === 'unclear' && wasAllowed ? 'allowed' : verdict
  }

  async #ask(path: string, token: string): Promise<Verdict> {
    const { api, log } = this.#options
    try {
      const { status } = await api.create(tokenReviews, { metadata: { name: '' }, spec: { token } })
      if (!status?.authenticated || !status.user?.username) return 'unknown'
      const { username: user, uid, groups, extra } = status.user
      const nonResourceAttributes = { verb: 'get', path }
      const spec = { user, uid, groups, extra, nonResourceAttributes }
      const answer = await api.create(subjectAccessReviews, { metadata: { name: '' }, spec })
      return answer.status?.allowed ? 'allowed' : 'forbidden'
    } catch (error) {
      // A server may quote what it was asked about.
      log.error(`cannot ask the cluster who may read ${path}`, withoutQuotes(error))
      return 'unclear'
    }
  }
}
