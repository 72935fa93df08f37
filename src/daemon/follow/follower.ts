import type { MachineConfig } from '../../api/resources.ts'
import { nodeEvents } from '../../api/reasons.ts'
import { messageOf } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { isConflict } from '@machinist/kube/failure'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import type { KeptFiles } from '../apply/kept-files.ts'
import type { DriftWatch } from '../drift/drift-watch.ts'
import type { Exceptions } from '../drift/exceptions.ts'
import { HostFailure } from '../host/host-failure.ts'
import type { Reporter } from '../report/reporter.ts'
import type { DiskState } from '../state/disk-state.ts'
import { readDiskState } from '../state/disk-state.ts'
import { storeConfig, removeForceFile } from '../state/state-changes.ts'
import { differences } from '../verify/differences.ts'
import { decide } from './decide.ts'
import type { Decision } from './decision.ts'
import type { NodeView } from './facts.ts'
import type { Sources } from './gather.ts'
import { gather } from './gather.ts'
import type { Ended, UpdateRunner } from './run-update.ts'
import { attemptOf } from './situation.ts'

export interface FollowerOptions {
  readonly sources: Sources
  readonly reporter: Reporter
  readonly runner: UpdateRunner
  readonly driftWatch: DriftWatch
  readonly exceptions: Exceptions
  readonly kept?: KeptFiles
  readonly log: Logger
  /** The daemon shall end. */
  readonly signal: AbortSignal
  /** The machine goes down: nothing is left to do. */
  readonly rebooting: () => void
}

/** More decisions than any way from one state to the next takes: beyond, something goes in circles. */
const mostTurns = 20

type Next = Outcome | 'decide again'

const requeueIfDue = (ms: number | undefined): Outcome =>
  ms === undefined ? settled : requeueAfter(ms)

/** Gathers, decides, tells, acts; again until there is nothing left to do now. */
export class Follower {
  readonly #options: FollowerOptions
  #watched = ''
  /** Something changed during the last look at the disk. */
  #outdated = false

  constructor(options: FollowerOptions) {
    this.#options = options
  }

  async reconcile(): Promise<Outcome> {
    const { signal, log, sources } = this.#options
    const { memory } = sources
    if (this.#outdated) memory.forgetChecked()
    this.#outdated = false
    try {
      for (let turn = 0; turn < mostTurns && !signal.aborted; turn++) {
        const next = await this.#turn()
        if (next === 'decide again') continue
        memory.noError()
        return next
      }
    } catch (error) {
      if (signal.aborted) return settled
      if (isConflict(error)) {
        log.info('the node has changed since it was looked at')
        return requeueAfter(catchUpMs)
      }
      log.error('cannot follow the cluster at the moment', error)
      if (error instanceof HostFailure) await this.#tellHostFailure(error)
    }
    return signal.aborted ? settled : requeueAfter(memory.errorPauseMs())
  }

  async #turn(): Promise<Next> {
    const { sources, reporter, signal } = this.#options
    const facts = await gather(sources, signal)
    const decision = decide(facts)
    await reporter.decided(decision, facts)
    if (decision.next.do === 'ignore') return settled
    return facts.node ? this.#act(decision, facts.node) : settled
  }

  async #act({ next }: Decision, node: NodeView): Promise<Next> {
    const { sources, runner } = this.#options
    const { memory, host } = sources
    switch (next.do) {
      case 'ignore':
        return settled
      case 'wait':
        return requeueIfDue(next.forMs)
      case 'degrade':
      case 'unreconcilable':
        return requeueAfter(memory.patienceMs())
      case 'adopt':
      case 'stay':
      case 'requestDrain':
      case 'complete':
        // It is written; what comes of it is another decision.
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

  async #done(): Promise<Next> {
    const { sources, reporter } = this.#options
    const { memory } = sources
    const isFirst = !memory.settled
    memory.settled = true
    memory.succeeded()
    // Large, and not needed any more.
    sources.configs.forget()
    reporter.metrics.drifted(false)
    if (isFirst) await this.#dropRollback()
    return settled
  }

  /** Once the machine has proved itself nobody will go back; until then, going back must not need a download. */
  async #dropRollback(): Promise<void> {
    const { sources, log } = this.#options
    try {
      await sources.host.os.dropRollback()
    } catch (error) {
      log.error('the OS that ran before takes room that cannot be freed', error)
    }
  }

  async #verify(config: MachineConfig): Promise<Next> {
    const { sources, driftWatch, exceptions, kept, reporter } = this.#options
    // Watched first: what changes while we look is looked at again, after what was found has been told.
    const forgotten = sources.memory.forgotten
    driftWatch.arm(config)
    const found = await differences(sources.host, config, { os: true, ...(kept && { kept }) })
    const minded = exceptions.without(found)
    this.#outdated = sources.memory.forgotten !== forgotten
    sources.memory.remember({ config: config.metadata.name, differences: minded })
    if (minded.length > 0) reporter.metrics.drifted(true)
    else this.#startedWatching(config.metadata.name)
    return 'decide again'
  }

  async #ended(ended: Ended): Promise<Next> {
    const { sources, rebooting } = this.#options
    const { memory, host } = sources
    switch (ended.is) {
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
        // What comes next is another attempt than this one if something is left in the journal.
        const disk = await this.#watchAgain()
        const interrupted = await sources.updates.interrupted()
        memory.failed(attemptOf({ node: sources.node(), disk, interrupted }), ended.reason)
        return 'decide again'
      }
    }
  }

  /** After an update that did not end well: whoever mends it should not have to wait until the next look. */
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
    // From here on nobody sees what happens to the disk: however this ends, it is looked at anew.
    this.#options.sources.memory.forgetChecked()
    this.#outdated = false
    if (this.#watched === '') return
    this.#watched = ''
    const message = 'Config Drift Monitor stopped'
    this.#options.reporter.event(node, nodeEvents.configDriftMonitorStopped, message)
  }

  async #tellHostFailure(error: HostFailure): Promise<void> {
    const { sources, reporter, log } = this.#options
    const node = sources.node()
    if (!node) return
    try {
      await reporter.failing(node, messageOf(error))
    } catch (failure) {
      log.error('cannot tell what is wrong either', failure)
    }
  }
}
