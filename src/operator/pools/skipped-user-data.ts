import type { Logger } from '@machinist/core/log'
import type { UserDataChange } from './decide.ts'
import { noMachineAPI } from './decide.ts'

/** Logs once why a pool has no user data. */
export class SkippedUserData {
  /** The last logged reason; '' for all pools. */
  readonly #logged = new Map<string, string>()

  log(pool: string, change: UserDataChange | undefined, log: Logger): void {
    const why = change && 'skipped' in change ? change.skipped : ''
    const about = why === noMachineAPI ? '' : pool
    if ((this.#logged.get(about) ?? '') === why) return
    this.#logged.set(about, why)
    if (why !== '') log.info('cannot write user data for new machines', { why })
  }
}
