import { names } from '../../api/names.ts'
import { newMachineConfigNode } from '../../api/new-machine-config-node.ts'
import type { MachineConfigNode } from '../../api/resources.ts'
import { machineConfigNodes } from '../../api/resources.ts'
import { backoffDelay } from '@machinist/core/backoff'
import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import { sameJson } from '@machinist/core/json'
import type { Logger } from '@machinist/core/log'
import { timestamp } from '@machinist/core/timestamp'
import { modify } from '@machinist/kube/client-modify'
import type { KubeClient } from '@machinist/kube/client'
import { isAlreadyExists, isNotFound, isRefused } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'
import type { NodeView } from '../follow/facts.ts'
import { conditionsAfter } from './conditions.ts'
import type { Milestone } from './milestone.ts'

export interface Versions {
  readonly current?: string
  readonly desired?: string
}

interface Report {
  readonly node: NodeView
  readonly milestone: Milestone
  readonly versions: Versions
  /** When it happened: it may be written much later. */
  readonly time: string
}

const requestMs = 10_000
const pace = { firstMs: 1000, maxMs: 60_000, factor: 4, jitter: 0.5 }
const mostTries = 3

/** Milestones that come of a decision, and so of what the Node wanted a moment ago. */
const decisive: ReadonlySet<Milestone['at']> = new Set(['due', 'prepared', 'refused', 'updated'])

/**
 * Tells the node's MachineConfigNode how far an update is. In the background and in order: that it cannot be told is never
 * a reason for an update to wait or to fail.
 */
export class MachineConfigNodeReporter {
  readonly #client: KubeClient
  readonly #clock: Clock
  readonly #log: Logger
  readonly #signal: AbortSignal
  #last: Report | undefined
  #told: Promise<void> = Promise.resolve()

  constructor(client: KubeClient, clock: Clock, log: Logger, signal: AbortSignal) {
    this.#client = client
    this.#clock = clock
    this.#log = log
    this.#signal = signal
  }

  report(node: NodeView, milestone: Milestone, versions: Versions): void {
    const report = { node, milestone, versions, time: timestamp(this.#clock.now()) }
    if (this.#last && sameReport(this.#last, report)) return
    this.#last = report
    this.#told = this.#told.then(() => this.#tell(report))
  }

  /** The API may have lost what was reported: the next report is written even if it says the same. */
  forget(): void {
    this.#last = undefined
  }

  /** Resolves when all that was reported has been told, or could not be. */
  flush(): Promise<void> {
    return this.#told
  }

  /** In order, so a report that something newer waits behind is not tried for ever; the newest one is. */
  async #tell(report: Report): Promise<void> {
    for (let tries = 1; !this.#signal.aborted; tries++) {
      try {
        return await this.#write(report)
      } catch (error) {
        if (this.#signal.aborted) return
        if (isNotFound(error)) return this.#log.debug('this cluster has no MachineConfigNodes')
        this.#log.error('cannot tell the progress to the MachineConfigNode', error, {
          milestone: report.milestone.at,
        })
        if (isRefused(error) || (tries >= mostTries && this.#last !== report)) return
        await sleep(this.#clock, backoffDelay(pace, tries - 1, this.#client.random), this.#signal)
      }
    }
  }

  async #write({ node, milestone, versions, time }: Report): Promise<void> {
    const call = { signal: this.#signal, timeoutMs: requestMs }
    const key = { name: node.name }
    await this.#ensure(node, versions, milestone)
    const change = (found: MachineConfigNode): MachineConfigNode => {
      const { current, desired } = versions
      const isProven = milestone.at !== 'due' && milestone.at !== 'refused'
      const configVersion = {
        ...(current !== undefined && { current }),
        desired: isProven && desired !== undefined ? desired : names.notYetSet,
      }
      const conditions = [...conditionsAfter(found.status?.conditions, milestone, time)]
      const isNew = !sameJson(
        [found.status?.conditions, found.status?.configVersion],
        [conditions, configVersion],
      )
      if (!isNew) return found
      const generation = found.metadata.generation
      const observed = generation !== undefined && { observedGeneration: generation }
      return { ...found, status: { ...found.status, conditions, configVersion, ...observed } }
    }
    await modify(this.#client, machineConfigNodes, key, change, { ...call, subresource: 'status' })
  }

  /**
   * The cluster's side makes it and says which pool and which config; where it has not yet, we do, of what the Node says.
   * While an update runs, the Node may want another one already: then it is not for us to say.
   */
  async #ensure(
    node: NodeView,
    { desired = names.notYetSet }: Versions,
    { at }: Milestone,
  ): Promise<void> {
    const call = { signal: this.#signal, timeoutMs: requestMs }
    const key = { name: node.name }
    try {
      const found = await this.#client.get(machineConfigNodes, key, call)
      const said = found.spec.configVersion.desired
      const isFresh = decisive.has(at) && desired !== names.notYetSet
      if (said === desired || (said !== names.notYetSet && !isFresh)) return
      const patch = mergePatch({ spec: { configVersion: { desired } } })
      await this.#client.patch(machineConfigNodes, key, patch, call)
    } catch (error) {
      if (!isNotFound(error)) throw error
      await this.#create(node, desired)
    }
  }

  async #create({ name, uid }: NodeView, desired: string): Promise<void> {
    const made = newMachineConfigNode({ name, uid, desired })
    try {
      const call = { signal: this.#signal, timeoutMs: requestMs }
      await this.#client.create(machineConfigNodes, made, call)
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
    }
  }
}

const sameReport = (a: Report, b: Report): boolean =>
  sameJson([a.node.uid, a.milestone, a.versions], [b.node.uid, b.milestone, b.versions])
