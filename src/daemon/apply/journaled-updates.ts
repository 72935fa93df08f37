import type { Clock } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { Host } from '../host/host.ts'
import type { Acting } from './actions.ts'
import { act, undoActions } from './actions.ts'
import { asError } from './as-error.ts'
import { goBack } from './back.ts'
import { hasArrived, runsTheNew } from './boots.ts'
import { ended } from './ended.ts'
import { goForward } from './forward.ts'
import type { Intent } from './intent.ts'
import { actionsOf, isNothing } from './intent.ts'
import type { Noted } from './journal.ts'
import { Journal } from './journal.ts'
import type { KeptFiles } from './kept-files.ts'
import { nothingKept } from './kept-files.ts'
import type { Mark } from './marks.ts'
import { accidentsIn, isPast, rebootIn, rollbackIn } from './marks.ts'
import { NotedContents } from './noted-contents.ts'
import { Parked, parkIf } from './parked.ts'
import { survey } from './survey.ts'
import type { Interrupted, Outcome, Run, Update, Updates } from './update.ts'
import type { Compared } from '../verify/differences.ts'
import { verify } from './verify.ts'

export interface JournaledUpdatesOptions {
  readonly host: Host
  readonly clock: Clock
  readonly log: Logger
  /** Files that others keep up to date, so that updates do not answer for them. */
  readonly except?: Compared['except']
  /** Files that others may have brought what is wanted to, so that updates leave it. */
  readonly kept?: KeptFiles
}

/** An update that was taken up again so often without coming to its end is undone. */
const mostAccidents = 5

/**
 * Updates that note on disk what they will do before they do it. What rejects here was decided by nobody yet: nothing was
 * touched, or everything is as it was left; trying again later is right.
 */
export class JournaledUpdates implements Updates {
  readonly #host: Host
  readonly #clock: Clock
  readonly #log: Logger
  readonly #except: Compared['except']
  readonly #kept: KeptFiles
  readonly #journal: Journal
  #swept: Promise<void> | undefined

  constructor({ host, clock, log, except, kept = nothingKept }: JournaledUpdatesOptions) {
    this.#host = host
    this.#clock = clock
    this.#log = log
    this.#except = except
    this.#kept = kept
    this.#journal = new Journal(host.files)
  }

  async interrupted(): Promise<Interrupted | undefined> {
    await this.#sweepOnce()
    const noted = await this.#journal.read()
    if (!noted) return undefined
    const { intent, marks } = noted
    const reboot = rebootIn(marks)
    return {
      update: intent.update,
      rollingBack: rollbackIn(marks) !== undefined,
      ...(reboot && {
        reboot: {
          reason: reboot.reboot,
          happened: await hasArrived(this.#host, intent, reboot.bootId),
        },
      }),
    }
  }

  async run(update: Update, run: Run): Promise<Outcome> {
    await this.#sweepOnce()
    if (await this.#journal.isThere()) throw new Error('another update is still under way')
    let intent: Intent
    try {
      intent = await survey(this.#host, update)
      if (isNothing(intent)) return await this.#verify(intent)
      if (run.signal.aborted) return { is: 'parked' }
      await this.#journal.begin(intent)
    } catch (error) {
      // Nothing was touched; only the journal may have to be taken back.
      return ended(this.#journal, { is: 'rolledBack', error: asError(error) })
    }
    return this.#forward({ intent, marks: [] }, run, false)
  }

  async resume(run: Run): Promise<Outcome> {
    await this.#sweepOnce()
    const noted = await this.#journal.read()
    if (!noted) throw new Error('there is no update to resume')
    const { intent, marks } = noted
    await this.#journal.secure()
    const rollback = rollbackIn(marks)
    if (rollback !== undefined) return this.#back(noted, new Error(rollback), run)
    const reboot = rebootIn(marks)
    if (reboot && (await hasArrived(this.#host, intent, reboot.bootId))) return this.#finish(intent)
    if (accidentsIn(marks) >= mostAccidents) {
      const error = new Error(`the update was interrupted ${mostAccidents + 1} times`)
      return this.#giveUp(noted, error, run)
    }
    await this.#journal.mark({ resumed: await this.#host.power.bootId() })
    return this.#forward(noted, run, true)
  }

  async #forward({ intent, marks }: Noted, run: Run, resumed: boolean): Promise<Outcome> {
    const taken = [...marks]
    try {
      const contents = this.#contents(intent)
      const acting = { ...this.#acting(), kept: this.#kept }
      await goForward(acting, contents, intent, run, resumed)
      const rebooting = await this.#act(intent, taken, run)
      if (rebooting) return rebooting
    } catch (error) {
      if (error instanceof Parked) return this.#park()
      return this.#giveUp({ intent, marks: taken }, asError(error), run)
    }
    return this.#finish(intent)
  }

  /** The plan's actions. What was under way when we were killed is done again: reloading twice hurts nobody. */
  async #act(intent: Intent, marks: Mark[], run: Run): Promise<Outcome | undefined> {
    const actions = actionsOf(intent)
    if (actions.length > 0) run.progress('actions')
    for (const [number, action] of actions.entries()) {
      parkIf(run.signal)
      if (action.do === 'reboot') return this.#reboot(action.reason, run)
      if (isPast(number, marks)) continue
      await this.#journal.mark({ acting: number })
      marks.push({ acting: number })
      await act(this.#host, action, this.#clock, run.signal)
    }
    return undefined
  }

  async #reboot(reason: string, run: Run, back?: true): Promise<Outcome> {
    run.progress('rebooting')
    const bootId = await this.#host.power.bootId()
    await this.#journal.mark({ reboot: reason, bootId, ...(back && { back }) })
    await this.#host.power.reboot(reason)
    return { is: 'rebooting', reason }
  }

  async #finish(intent: Intent): Promise<Outcome> {
    return ended(this.#journal, await this.#verify(intent))
  }

  #verify(intent: Intent): Promise<Outcome> {
    return verify(this.#host, intent, this.#except, this.#kept)
  }

  async #giveUp({ intent, marks }: Noted, error: Error, run: Run): Promise<Outcome> {
    try {
      await this.#journal.mark({ rollback: messageOf(error) })
    } catch (failure) {
      // Without the mark it only means that, should we be killed on the way back, it is tried once more.
      this.#log.error('the journal cannot note that the update is undone', failure)
    }
    return this.#back({ intent, marks }, error, run)
  }

  async #back({ intent, marks }: Noted, error: Error, run: Run): Promise<Outcome> {
    run.progress('rollingBack')
    try {
      await goBack(this.#host, this.#kept, this.#contents(intent), intent, run.signal)
      if (await runsTheNew(this.#host, intent, marks)) {
        const reason = `undo the update to ${intent.update.plan.to}: ${messageOf(error)}`
        return await this.#reboot(reason, run, true)
      }
      await undoActions(this.#acting(), intent, marks, run.signal)
    } catch (failure) {
      if (failure instanceof Parked) return this.#park()
      return { is: 'stuck', error, rollbackError: asError(failure) }
    }
    return ended(this.#journal, { is: 'rolledBack', error })
  }

  async #park(): Promise<Outcome> {
    try {
      await this.#journal.mark({ parked: true })
    } catch (failure) {
      this.#log.error('the journal cannot note that the update is parked', failure)
    }
    return { is: 'parked' }
  }

  /** A process before us may have been killed while it ended its journal. */
  #sweepOnce(): Promise<void> {
    this.#swept ??= this.#journal.sweep().catch((failure: unknown) => {
      this.#log.error('what is left of an earlier journal cannot be removed', failure)
    })
    return this.#swept
  }

  #acting(): Acting {
    return { host: this.#host, clock: this.#clock, log: this.#log }
  }

  #contents(intent: Intent): NotedContents {
    return new NotedContents(this.#journal, intent)
  }
}
