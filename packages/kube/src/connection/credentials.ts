import type { Cancel, Clock } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import { sameJson } from '@machinist/core/encoding/json'
import type { Logger } from '@machinist/core/log'
import { silentLogger } from '@machinist/core/log'
import type { FileReader } from '@machinist/core/files'
import type { AccessSource } from './access-source.ts'
import { accessSource } from './access-source.ts'
import type { Access, Connection } from './connection.ts'
import { reloadedSource } from './reloaded-source.ts'
import type { RunCommand } from './run-command.ts'
import type { Target } from './target.ts'

export interface ConnectOptions {
  readonly target: Target
  /** Loads the target again, if the kubeconfig can change; must be cheap while it does not change. */
  readonly reload?: () => Promise<Target>
  readonly files: FileReader
  /** Runs credential plugins. */
  readonly run: RunCommand
  readonly clock: Clock
  readonly logger?: Logger
  /** Poll interval of the files while a follower exists; 10 s by default. */
  readonly pollMs?: number
}

/** A connection that reloads credentials when they change. Nothing is read before the first use. */
export function connectTo(options: ConnectOptions): Connection {
  const { clock, reload, logger = silentLogger, pollMs = 10_000 } = options
  const all = { ...options, logger }
  const source = reload ? reloadedSource(all, reload) : accessSource(all)
  return new Credentials(source, clock, logger, pollMs)
}

/**
 * Polls the content of files while a stream is open. A single request reads them itself if the last read is older than the
 * poll interval, so that an idle process has no timer and never uses outdated credentials.
 */
class Credentials implements Connection {
  readonly #source: AccessSource
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #pollMs: number
  readonly #followers = new Set<(access: Access) => void>()
  #access: Access | undefined
  #readAt = 0
  #reading: Promise<Access> | undefined
  #renewing: Promise<Access> | undefined
  #stopPolling: Cancel | undefined
  #lastError = ''

  constructor(source: AccessSource, clock: Clock, logger: Logger, pollMs: number) {
    this.#source = source
    this.#clock = clock
    this.#logger = logger
    this.#pollMs = pollMs
  }

  async access(): Promise<Access> {
    const stale = this.#source.changeable && this.#clock.elapsed() - this.#readAt >= this.#pollMs
    if (this.#access && !stale && !this.#source.expired()) return this.#access
    return await this.#read(false)
  }

  async renew(rejected: Access): Promise<Access> {
    // When several requests fail at the same time, the first one renews for all.
    if (this.#access && this.#access !== rejected) return this.#access
    this.#renewing ??= this.#readAfterRejection().finally(() => (this.#renewing = undefined))
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
      this.#read(false)
        .then(() => (this.#lastError = ''))
        .catch((error: unknown) => this.#logOnce(error))
        .finally(() => this.#followers.size > 0 && this.#poll())
    })
  }

  /** Waits for a read in progress: it started before the rejection and may return the same access. */
  async #readAfterRejection(): Promise<Access> {
    await this.#reading?.catch(() => {})
    return await this.#read(true)
  }

  /** One read at a time; concurrent callers share its result. */
  #read(rejected: boolean): Promise<Access> {
    this.#reading ??= this.#source
      .read(rejected)
      .then((access) => this.#take(access))
      .finally(() => (this.#reading = undefined))
    return this.#reading
  }

  #take(access: Access): Access {
    this.#readAt = this.#clock.elapsed()
    if (this.#access && sameJson(this.#access, access)) return this.#access
    const isFirst = this.#access === undefined
    this.#access = access
    if (!isFirst) this.#logger.info('credentials changed', { server: access.server })
    for (const follower of this.#followers) follower(access)
    return access
  }

  /** Logs an error unless it repeats the previous one. */
  #logOnce(error: unknown): void {
    const message = messageOf(error)
    if (message !== this.#lastError) this.#logger.error('cannot renew credentials', error)
    this.#lastError = message
  }
}
