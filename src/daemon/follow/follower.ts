import type { MachineConfig } from '../../api/kinds/resources.ts'
import { nodeEvents } from '../../api/reasons.ts'
import { messageOf } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { isConflict } from '@machinist/kube/failure'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import type { SharedFiles } from '../verify/shared-files.ts'
import type { DriftWatch } from '../drift/drift-watch.ts'
import type { DriftExceptions } from '../drift/exceptions.ts'
import { HostFailure } from '../host/host-failure.ts'
import type { NodeReporter } from '../report/reporter.ts'
import type { DiskState } from '../state/disk-state.ts'
import { readDiskState } from '../state/disk-state.ts'
import { storeConfig, removeForceFile } from '../state/state-changes.ts'
import { findDifferences } from '../verify/differences.ts'
import { decide } from './decision/decide.ts'
import type { FollowDecision } from './decision/decision.ts'
import type { NodeView } from '../node/node-view.ts'
import type { FollowSources } from './gather.ts'
import { gather } from './gather.ts'
import type { UpdateEnd, UpdateRunner } from './update-runner.ts'
import { attemptOf } from './decision/situation.ts'

export interface FollowerOptions {
  readonly sources: FollowSources
  readonly reporter: NodeReporter
  readonly runner: UpdateRunner
  readonly driftWatch: DriftWatch
  readonly exceptions: DriftExceptions
  readonly kept?: SharedFiles
  readonly log: Logger
  /** Aborts when the daemon stops. */
  readonly signal: AbortSignal
  /** Called when the machine reboots: the daemon has nothing left to do. */
  readonly rebooting: () => void
}

/** No transition needs this many decisions in a row: the limit stops a decision loop. */
const maxDecisions = 20

type StepOutcome = Outcome | 'decide again'

const requeueIfDue = (ms: number | undefined): Outcome =>
  ms === undefined ? settled : requeueAfter(ms)

/** Gathers, decides, reports and acts, until there is nothing left to do now. */
export class Follower {
  readonly #options: FollowerOptions
  #watched = ''
  /** A file changed during the last verification of the disk. */
  #outdated = false

  constructor(options: FollowerOptions) {
    this.#options = options
  }

  async reconcile(): Promise<Outcome> {
    const { signal, log, sources } = this.#options
    const { memory } = sources
    if (this.#outdated) memory.invalidateChecked()
    this.#outdated = false
    try {
      for (let step = 0; step < maxDecisions && !signal.aborted; step++) {
        const next = await this.#step()
        if (next === 'decide again') continue
        memory.resetErrors()
        return next
      }
    } catch (error) {
      if (signal.aborted) return settled
      if (isConflict(error)) {
        log.info('the Node changed since it was read')
        return requeueAfter(catchUpMs)
      }
      log.error('cannot follow the desired config, retrying', error)
      if (error instanceof HostFailure) await this.#reportHostFailure(error)
    }
    return signal.aborted ? settled : requeueAfter(memory.errorDelayMs())
  }

  async #step(): Promise<StepOutcome> {
    const { sources, reporter, signal } = this.#options
    const facts = await gather(sources, signal)
    const decision = decide(facts)
    await reporter.reportDecision(decision, facts)
    if (decision.next.action === 'ignore') return settled
    return facts.node ? this.#act(decision, facts.node) : settled
  }

  async #act({ next }: FollowDecision, node: NodeView): Promise<StepOutcome> {
    const { sources, runner } = this.#options
    const { memory, host } = sources
    switch (next.action) {
      case 'ignore':
        return settled
      case 'wait':
        return requeueIfDue(next.forMs)
      case 'degrade':
      case 'unreconcilable':
        return requeueAfter(memory.recheckDelayMs())
      case 'adopt':
      case 'stay':
      case 'requestDrain':
      case 'complete':
        // The report has written the annotations already.
        return 'decide again'
      case 'storeConfig':
        await storeConfig(host.files, next.config, next.image)
        return 'decide again'
      case 'verify':
        return this.#verify(next.config)
      case 'resume':
        this.#stopWatching(node)
        return this.#ended(await runner.resume(node, next.interrupted))
      case 'update':
        this.#stopWatching(node)
        return this.#ended(await runner.run(node, next.update))
      case 'done':
        return await this.#done()
    }
  }

  async #done(): Promise<StepOutcome> {
    const { sources, reporter } = this.#options
    const { memory } = sources
    const isFirst = !memory.settled
    memory.settled = true
    memory.succeeded()
    // Configs are large, and a node that is Done needs none.
    sources.configs.forget()
    reporter.metrics.drifted(false)
    if (isFirst) await this.#dropRollback()
    return settled
  }

  /** The previous OS is kept until the node is Done, so that a rollback needs no download. */
  async #dropRollback(): Promise<void> {
    const { sources, log } = this.#options
    try {
      await sources.host.os.dropRollback()
    } catch (error) {
      log.error('cannot remove the previous OS deployment', error)
    }
  }

  async #verify(config: MachineConfig): Promise<StepOutcome> {
    const { sources, driftWatch, exceptions, kept, reporter } = this.#options
    // Watch first: a change during the verification causes another one, after the result has been reported.
    const before = sources.memory.invalidations
    driftWatch.arm(config)
    const found = await findDifferences(sources.host, config, {
      os: true,
      ...(kept && { shared: kept }),
    })
    const relevant = exceptions.without(found)
    this.#outdated = sources.memory.invalidations !== before
    sources.memory.remember({ config: config.metadata.name, differences: relevant })
    if (relevant.length > 0) reporter.metrics.drifted(true)
    else this.#startedWatching(config.metadata.name)
    return 'decide again'
  }

  async #ended(ended: UpdateEnd): Promise<StepOutcome> {
    const { sources, rebooting } = this.#options
    const { memory, host } = sources
    switch (ended.type) {
      case 'applied': {
        const { config, differences: left } = ended
        await removeForceFile(host.files)
        memory.succeeded()
        if (left.length > 0) {
          memory.remember({ config, differences: left, afterUpdate: true })
          await this.#watchAgain()
        }
        return 'decide again'
      }
      case 'rebooting':
        await removeForceFile(host.files)
        memory.rebooting = true
        rebooting()
        return settled
      case 'parked':
        return settled
      case 'failed': {
        // With an entry left in the journal, the next attempt is another one: a resume.
        const disk = await this.#watchAgain()
        const interrupted = await sources.updates.interrupted()
        memory.failed(attemptOf({ node: sources.node(), disk, interrupted }), ended.reason)
        return 'decide again'
      }
    }
  }

  /** After a failed update: a repair of the disk must be noticed before the next periodic verification. */
  async #watchAgain(): Promise<DiskState> {
    const { sources, driftWatch } = this.#options
    const disk = await readDiskState(sources.host.files)
    if (disk.config) driftWatch.arm(disk.config)
    return disk
  }

  #startedWatching(config: string): void {
    const node = this.#options.sources.node()
    if (this.#watched === config || !node) return
    this.#watched = config
    const message = `Config Drift Monitor started, watching against ${config}`
    this.#options.reporter.event(node, nodeEvents.configDriftMonitorStarted, message)
  }

  #stopWatching(node: NodeView): void {
    this.#options.driftWatch.pause()
    // Changes are not observed from here on, so the disk is verified again, however this update ends.
    this.#options.sources.memory.invalidateChecked()
    this.#outdated = false
    if (this.#watched === '') return
    this.#watched = ''
    const message = 'Config Drift Monitor stopped'
    this.#options.reporter.event(node, nodeEvents.configDriftMonitorStopped, message)
  }

  async #reportHostFailure(error: HostFailure): Promise<void> {
    const { sources, reporter, log } = this.#options
    const node = sources.node()
    if (!node) return
    try {
      await reporter.reportFailure(node, messageOf(error))
    } catch (failure) {
      log.error('cannot report the failure on the Node', failure)
    }
  }
}
