import type { Logger } from '@machinist/core/log'
import type { UserDataChange } from './decide.ts'

/** Logs once why a pool has no user data. */
export class SkippedUserData {
  /** The last logged reason by pool. */
  readonly #logged = new Map<string, string>()

  log(pool: string, change: UserDataChange | undefined, log: Logger): void {
    const why = change && 'skipped' in change ? change.skipped : ''
    if ((this.#logged.get(pool) ?? '') === why) return
    this.#logged.set(pool, why)
    if (why !== '') log.info('cannot write user data for new machines', { why })
  }
}
