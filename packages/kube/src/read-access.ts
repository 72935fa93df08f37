import type { Clock } from '@machinist/core/clock'
import { sha256Hex } from '@machinist/core/digest'
import type { Logger } from '@machinist/core/log'
import type { KubeClient } from './client.ts'
import { withoutQuotes } from './failure.ts'
import type { TokenReview } from './kinds/authentication.ts'
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
/** Numbers are wanted most while the API server is away: for so long, whoever could read them goes on. */
const graceMs = 15 * 60_000
/** There are two questions, and whoever collects numbers waits ten seconds. */
const questionMs = 4000
const mostKept = 64
/** Strangers' tokens that are asked about. Whoever tries out tokens must not trouble the API server from every node. */
const strangersPerMinute = 30
/** Of these, from one address: one who tries them out must not keep out another with a new token. */
const fromOneAddress = 10

/** Times are by the clock's `elapsed`. */
interface Answer {
  readonly verdict: Verdict
  /** When the cluster last let this one. */
  readonly allowedAt?: number | undefined
}

interface Kept {
  readonly answer: Promise<Answer>
  until: number
  allowedAt: number | undefined
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
    if (before && now < before.until) return (await before.answer).verdict
    const allowedAt = before?.allowedAt
    if (allowedAt === undefined && !this.#hasRoom(now, from)) return 'busy'
    const kept: Kept = { answer: this.#asked(path, token, allowedAt), until: Infinity, allowedAt }
    this.#keep(key, kept)
    const answer = await kept.answer
    this.#settle(key, kept, answer)
    return answer.verdict
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
    const [oldest] = all.find(([, { allowedAt }]) => allowedAt === undefined) ?? all[0]!
    this.#kept.delete(oldest)
  }

  #settle(key: string, kept: Kept, { verdict, allowedAt }: Answer): void {
    if (verdict === 'unclear') return void this.#kept.delete(key)
    kept.allowedAt = allowedAt
    const ms = verdict === 'allowed' ? keptMs.allowed : keptMs.refused
    kept.until = this.#options.clock.elapsed() + ms
  }

  async #asked(path: string, token: string, allowedAt: number | undefined): Promise<Answer> {
    const verdict = await this.#ask(path, token)
    const now = this.#options.clock.elapsed()
    if (verdict === 'allowed') return { verdict, allowedAt: now }
    const goesOn = verdict === 'unclear' && allowedAt !== undefined && now - allowedAt < graceMs
    return goesOn ? { verdict: 'allowed', allowedAt } : { verdict }
  }

  async #ask(path: string, token: string): Promise<Verdict> {
    const { api, log } = this.#options
    const call = { timeoutMs: questionMs }
    try {
      const review: TokenReview = { metadata: { name: '' }, spec: { token } }
      const { status } = await api.create(tokenReviews, review, call)
      if (!status?.authenticated || !status.user?.username) return 'unknown'
      const { username: user, uid, groups, extra } = status.user
      const nonResourceAttributes = { verb: 'get', path }
      const spec = { user, uid, groups, extra, nonResourceAttributes }
      const answer = await api.create(subjectAccessReviews, { metadata: { name: '' }, spec }, call)
      return answer.status?.allowed ? 'allowed' : 'forbidden'
    } catch (error) {
      // A server may quote what it was asked about.
      log.error(`cannot ask the cluster who may read ${path}`, withoutQuotes(error))
      return 'unclear'
    }
  }
}
