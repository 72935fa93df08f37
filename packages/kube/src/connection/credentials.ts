import type { Cancel, Clock } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import { sameJson } from '@machinist/core/json'
import type { Logger } from '@machinist/core/log'
import { silentLogger } from '@machinist/core/log'
import type { AccessSource } from './access-source.ts'
import { accessSource } from './access-source.ts'
import type { Access, Connection } from './connection.ts'
import type { Files } from '@machinist/core/files'
import { reloadedSource } from './reloaded-source.ts'
import type { RunCommand } from './run-command.ts'
import type { Target } from './target.ts'

export interface ConnectOptions {
  readonly target: Target
  /** Looks what the target is now, where it may change; costs next to nothing while it does not. */
  readonly reload?: () => Promise<Target>
  readonly files: Files
  /** Runs credential plugins. */
  readonly run: RunCommand
  readonly clock: Clock
  readonly logger?: Logger
  /** How often files are looked at while something depends on them; 10 s. */
  readonly pollMs?: number
}

/** A connection whose credentials are read again when they change. Nothing is read before the first use. */
export function connectTo(options: ConnectOptions): Connection {
  const { clock, reload, logger = silentLogger, pollMs = 10_000 } = options
  const all = { ...options, logger }
  const source = reload ? reloadedSource(all, reload) : accessSource(all)
  return new Credentials(source, clock, logger, pollMs)
}

/**
 * Files are polled by content while a stream is open. A single request looks itself when the last look is older than
 * that, so a process that does nothing has no timer, and one that wakes up never uses what is out of date.
 */
class Credentials implements Connection {
  readonly #source: AccessSource
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #pollMs: number
  readonly #followers = new Set<(access: Access) => void>()
  #access: Access | undefined
  #lookedAt = 0
  #looking: Promise<Access> | undefined
  #renewing: Promise<Access> | undefined
  #stopPolling: Cancel | undefined
  #complaint = ''

  constructor(source: AccessSource, clock: Clock, logger: Logger, pollMs: number) {
    this.#source = source
    this.#clock = clock
    this.#logger = logger
    this.#pollMs = pollMs
  }

  async access(): Promise<Access> {
    const stale = this.#source.changeable && this.#clock.elapsed() - this.#lookedAt >= this.#pollMs
    if (this.#access && !stale && !this.#source.expired()) return this.#access
    return await this.#look(false)
  }

  async renew(refused: Access): Promise<Access> {
    // When several requests are refused at once, the first to come here does the work for all.
    if (this.#access && this.#access !== refused) return this.#access
    this.#renewing ??= this.#lookAfterRefusal().finally(() => (this.#renewing = undefined))
    return await this.#renewing
  }

  follow(changed: (access: Access) => void): Cancel {
    const follower = (access: Access): void => changed(access)
    this.#followers.add(follower)
    if (!this.#stopPolling) this.#poll()
    return () => {
      this.#followers.delete(follower)
      if (this.#followers.size > 0) return
      this.#stopPolling?.()
      this.#stopPolling = undefined
    }
  }

  #poll(): void {
    this.#stopPolling?.()
    if (!this.#source.changeable) return
    this.#stopPolling = this.#clock.after(this.#pollMs, () => {
      this.#look(false)
        .then(() => (this.#complaint = ''))
        .catch((error: unknown) => this.#complain(error))
        .finally(() => this.#followers.size > 0 && this.#poll())
    })
  }

  /** A look that is under way began before the refusal was known, and may show the same again. */
  async #lookAfterRefusal(): Promise<Access> {
    await this.#looking?.catch(() => {})
    return await this.#look(true)
  }

  /** One look at a time; who comes meanwhile waits for the same answer. */
  #look(refused: boolean): Promise<Access> {
    this.#looking ??= this.#source
      .look(refused)
      .then((seen) => this.#take(seen))
      .finally(() => (this.#looking = undefined))
    return this.#looking
  }

  #take(seen: Access): Access {
    this.#lookedAt = this.#clock.elapsed()
    if (this.#access && sameJson(this.#access, seen)) return this.#access
    const first = this.#access === undefined
    this.#access = seen
    if (!first) this.#logger.info('credentials changed', { server: seen.server })
    for (const follower of this.#followers) follower(seen)
    return seen
  }

  #complain(error: unknown): void {
    const complaint = messageOf(error)
    if (complaint !== this.#complaint) this.#logger.error('cannot renew credentials', error)
    this.#complaint = complaint
  }
}
