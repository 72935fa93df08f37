import type { Clock } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { Host } from '../../host/host.ts'
import type { Intent } from '../intent.ts'
import { actionStepsOf, isEmptyIntent } from '../intent.ts'
import type { JournalRecord } from '../journal/journal.ts'
import { Journal } from '../journal/journal.ts'
import type { SharedFiles } from '../../verify/shared-files.ts'
import { noSharedFiles } from '../../verify/shared-files.ts'
import type { Mark } from '../journal/marks.ts'
import { interruptionsIn, isActionDone, rebootIn, rollbackIn } from '../journal/marks.ts'
import { IntentContents } from '../journal/intent-contents.ts'
import { survey } from '../survey/survey.ts'
import type { InterruptedUpdate, UpdateOutcome, UpdateRun, Update, Updates } from '../update.ts'
import type { CompareOptions } from '../../verify/differences.ts'
import type { ActionContext } from './actions.ts'
import { runAction, undoActions } from './actions.ts'
import { asError } from './as-error.ts'
import { rollBack } from './roll-back.ts'
import { isRebootComplete, runsNewDeployment } from './boots.ts'
import { endJournal } from './end-journal.ts'
import { rollForward } from './roll-forward.ts'
import { Parked, parkIfAborted } from './parked.ts'
import { verifyUpdate } from './verify.ts'

export interface JournaledUpdatesOptions {
  readonly host: Host
  readonly clock: Clock
  readonly log: Logger
  /** Files that another component manages; verification skips them. */
  readonly except?: CompareOptions['except']
  /** Files that another component may have written already; updates keep its content. */
  readonly shared?: SharedFiles
}

/** An update that was interrupted more often is rolled back. */
const maxInterruptions = 5

/**
 * Updates that write an intent to disk before they change anything. If a method rejects, it has changed nothing and decided
 * nothing: retry later.
 */
export class JournaledUpdates implements Updates {
  readonly #host: Host
  readonly #clock: Clock
  readonly #log: Logger
  readonly #except: CompareOptions['except']
  readonly #shared: SharedFiles
  readonly #journal: Journal
  #swept: Promise<void> | undefined

  constructor({ host, clock, log, except, shared = noSharedFiles }: JournaledUpdatesOptions) {
    this.#host = host
    this.#clock = clock
    this.#log = log
    this.#except = except
    this.#shared = shared
    this.#journal = new Journal(host.files)
  }

  async interrupted(): Promise<InterruptedUpdate | undefined> {
    await this.#sweepOnce()
    const record = await this.#journal.read()
    if (!record) return undefined
    const { intent, marks } = record
    const reboot = rebootIn(marks)
    return {
      update: intent.update,
      rollingBack: rollbackIn(marks) !== undefined,
      ...(reboot && {
        reboot: {
          reason: reboot.reboot,
          happened: await isRebootComplete(this.#host, intent, reboot.bootId),
        },
      }),
    }
  }

  async run(update: Update, run: UpdateRun): Promise<UpdateOutcome> {
    await this.#sweepOnce()
    if (await this.#journal.exists()) throw new Error('another update is in progress')
    let intent: Intent
    try {
      intent = await survey(this.#host, update)
      if (isEmptyIntent(intent)) return await this.#verify(intent)
      if (run.signal.aborted) return { type: 'parked' }
      await this.#journal.begin(intent)
    } catch (error) {
      // The machine is unchanged; only the journal may exist.
      return endJournal(this.#journal, { type: 'rolledBack', error: asError(error) })
    }
    return this.#rollForward({ intent, marks: [] }, run, false)
  }

  async resume(run: UpdateRun): Promise<UpdateOutcome> {
    await this.#sweepOnce()
    const record = await this.#journal.read()
    if (!record) throw new Error('there is no update to resume')
    const { intent, marks } = record
    await this.#journal.secure()
    const rollback = rollbackIn(marks)
    if (rollback !== undefined) return this.#rollBack(record, new Error(rollback), run)
    const reboot = rebootIn(marks)
    if (reboot && (await isRebootComplete(this.#host, intent, reboot.bootId)))
      return this.#finish(intent)
    if (interruptionsIn(marks) >= maxInterruptions) {
      const error = new Error(`the update was interrupted ${maxInterruptions + 1} times`)
      return this.#giveUp(record, error, run)
    }
    await this.#journal.mark({ resumed: await this.#host.power.bootId() })
    return this.#rollForward(record, run, true)
  }

  async #rollForward(
    { intent, marks }: JournalRecord,
    run: UpdateRun,
    resumed: boolean,
  ): Promise<UpdateOutcome> {
    const taken = [...marks]
    try {
      const contents = this.#contents(intent)
      const context = { ...this.#actionContext(), shared: this.#shared }
      await rollForward(context, contents, intent, run, resumed)
      const rebooting = await this.#runActions(intent, taken, run)
      if (rebooting) return rebooting
    } catch (error) {
      if (error instanceof Parked) return this.#park()
      return this.#giveUp({ intent, marks: taken }, asError(error), run)
    }
    return this.#finish(intent)
  }

  /** Runs the actions of the plan. An action that was interrupted runs again: a second reload does no harm. */
  async #runActions(
    intent: Intent,
    marks: Mark[],
    run: UpdateRun,
  ): Promise<UpdateOutcome | undefined> {
    const actions = actionStepsOf(intent)
    if (actions.length > 0) run.progress('actions')
    for (const [number, action] of actions.entries()) {
      parkIfAborted(run.signal)
      if (action.do === 'reboot') return this.#reboot(action.reason, run)
      if (isActionDone(number, marks)) continue
      await this.#journal.mark({ acting: number })
      marks.push({ acting: number })
      await runAction(this.#host, action, this.#clock, run.signal)
    }
    return undefined
  }

  async #reboot(reason: string, run: UpdateRun, back?: true): Promise<UpdateOutcome> {
    run.progress('rebooting')
    const bootId = await this.#host.power.bootId()
    await this.#journal.mark({ reboot: reason, bootId, ...(back && { back }) })
    await this.#host.power.reboot(reason)
    return { type: 'rebooting', reason }
  }

  async #finish(intent: Intent): Promise<UpdateOutcome> {
    return endJournal(this.#journal, await this.#verify(intent))
  }

  #verify(intent: Intent): Promise<UpdateOutcome> {
    return verifyUpdate(this.#host, intent, this.#except, this.#shared)
  }

  async #giveUp(
    { intent, marks }: JournalRecord,
    error: Error,
    run: UpdateRun,
  ): Promise<UpdateOutcome> {
    try {
      await this.#journal.mark({ rollback: messageOf(error) })
    } catch (failure) {
      // Without the mark, an interruption during the rollback only leads to another attempt to go forward.
      this.#log.error('cannot record the rollback in the journal', failure)
    }
    return this.#rollBack({ intent, marks }, error, run)
  }

  async #rollBack(
    { intent, marks }: JournalRecord,
    error: Error,
    run: UpdateRun,
  ): Promise<UpdateOutcome> {
    run.progress('rollingBack')
    try {
      await rollBack(this.#host, this.#shared, this.#contents(intent), intent, run.signal)
      if (await runsNewDeployment(this.#host, intent, marks)) {
        const reason = `roll back the update to ${intent.update.plan.to}: ${messageOf(error)}`
        return await this.#reboot(reason, run, true)
      }
      await undoActions(this.#actionContext(), intent, marks, run.signal)
    } catch (failure) {
      if (failure instanceof Parked) return this.#park()
      return { type: 'stuck', error, rollbackError: asError(failure) }
    }
    return endJournal(this.#journal, { type: 'rolledBack', error })
  }

  async #park(): Promise<UpdateOutcome> {
    try {
      await this.#journal.mark({ parked: true })
    } catch (failure) {
      this.#log.error('cannot record in the journal that the update is parked', failure)
    }
    return { type: 'parked' }
  }

  /** Removes the remains of a journal whose daemon was killed while it ended it. */
  #sweepOnce(): Promise<void> {
    this.#swept ??= this.#journal.sweep().catch((failure: unknown) => {
      this.#log.error('cannot remove the remains of an earlier journal', failure)
    })
    return this.#swept
  }

  #actionContext(): ActionContext {
    return { host: this.#host, clock: this.#clock, log: this.#log }
  }

  #contents(intent: Intent): IntentContents {
    return new IntentContents(this.#journal, intent)
  }
}
