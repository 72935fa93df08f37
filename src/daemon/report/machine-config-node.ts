import { backoffDelay } from '@machinist/core/backoff'
import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import { sameJson } from '@machinist/core/encoding/json'
import type { Logger } from '@machinist/core/log'
import { timestamp } from '@machinist/core/timestamp'
import { modify } from '@machinist/kube/client/modify'
import type { KubeClient } from '@machinist/kube/client/client'
import { isAlreadyExists, isNotFound, isRefused } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'
import { names } from '../../api/names.ts'
import { newMachineConfigNode } from '../../api/kinds/new-machine-config-node.ts'
import type { MachineConfigNode } from '../../api/kinds/resources.ts'
import { machineConfigNodes } from '../../api/kinds/resources.ts'
import type { NodeView } from '../node/node-view.ts'
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
  /** When the milestone was reached; the write may happen much later. */
  readonly time: string
}

const requestMs = 10_000
const pace = { firstMs: 1000, maxMs: 60_000, factor: 4, jitter: 0.5 }
const maxTries = 3

/** Milestones that follow from a decision, and so from the desiredConfig of a moment ago. */
const decisive: ReadonlySet<Milestone['type']> = new Set(['due', 'prepared', 'refused', 'updated'])

/**
 * Reports the progress of updates on the MachineConfigNode, in the background and in order. A failed write never delays or
 * fails an update.
 */
export class MachineConfigNodeReporter {
  readonly #client: KubeClient
  readonly #clock: Clock
  readonly #log: Logger
  readonly #signal: AbortSignal
  #last: Report | undefined
  #written: Promise<void> = Promise.resolve()

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
    this.#written = this.#written.then(() => this.#writeWithRetries(report))
  }

  /** Makes the next report write even if it is unchanged: the API server may have lost the last one. */
  forget(): void {
    this.#last = undefined
  }

  /** Resolves when every report is written or has failed. */
  flush(): Promise<void> {
    return this.#written
  }

  /** Retries the newest report until it is written. An older one gives up after a few tries, because newer ones wait behind it. */
  async #writeWithRetries(report: Report): Promise<void> {
    for (let tries = 1; !this.#signal.aborted; tries++) {
      try {
        return await this.#write(report)
      } catch (error) {
        if (this.#signal.aborted) return
        if (isNotFound(error)) return this.#log.debug('this cluster has no MachineConfigNodes')
        this.#log.error('cannot report the progress on the MachineConfigNode', error, {
          milestone: report.milestone.type,
        })
        if (isRefused(error) || (tries >= maxTries && this.#last !== report)) return
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
      const isProven = milestone.type !== 'due' && milestone.type !== 'refused'
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
   * The rollout controller creates the MachineConfigNode and sets its pool and desired config. Until it does, the daemon
   * creates it from the Node. During an update, the Node may desire another config already, so the daemon keeps the one in the spec.
   */
  async #ensure(
    node: NodeView,
    { desired = names.notYetSet }: Versions,
    { type: at }: Milestone,
  ): Promise<void> {
    const call = { signal: this.#signal, timeoutMs: requestMs }
    const key = { name: node.name }
    try {
      const found = await this.#client.get(machineConfigNodes, key, call)
      const before = found.spec.configVersion.desired
      const isFresh = decisive.has(at) && desired !== names.notYetSet
      if (before === desired || (before !== names.notYetSet && !isFresh)) return
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
