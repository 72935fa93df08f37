import { nodeEvents } from '../../api/reasons.ts'
import type { NodeTrustItem } from '../../api/kinds/node-trust.ts'
import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import type { Told, TrustTeller } from './lane.ts'
import { requestedTurn, trustLines, trustStatus } from './node-trust.ts'
import type { NodeTrustWriter, Owner } from './node-trust-writer.ts'
import { timestamp } from '@machinist/core/timestamp'
import type { TrustMetrics } from './trust-metrics.ts'

export interface TellerOptions {
  /** Undefined while the Node is not known: then only the log and the numbers can tell. */
  readonly owner: () => Owner | undefined
  readonly writer: NodeTrustWriter
  readonly events: EventRecorder
  readonly metrics: TrustMetrics
  readonly clock: Clock
  readonly log: Logger
}

/** Tells what was delivered and what could not be: log, numbers, events, and the node's ledger last. */
export class Teller implements TrustTeller {
  readonly #options: TellerOptions
  /** What was wrong with each item when it was last told. */
  #wrong: ReadonlyMap<string, string> = new Map()

  constructor(options: TellerOptions) {
    this.#options = options
  }

  async tell({ seen, reports, written }: Told, signal: AbortSignal): Promise<void> {
    const { owner, writer, metrics, clock, log } = this.#options
    const lines = trustLines(reports)
    metrics.lines(lines)
    if (written.length > 0) {
      const { version } = seen
      log.info(`Certificate was synced from controllerconfig resourceVersion ${version}`, {
        items: written,
      })
      for (const item of written) metrics.written(item)
    }
    this.#tellWrong(lines)
    const node = owner()
    if (!node) return
    const now = timestamp(clock.now())
    const reported = { lines, requestedAt: requestedTurn(reports) }
    await writer.write(node, (before) => trustStatus(reported, seen, before, now), signal)
  }

  /** Once for each thing that goes wrong, not each time that it is tried. */
  #tellWrong(lines: readonly NodeTrustItem[]): void {
    const failed = lines.filter(({ state }) => state === 'Failed')
    const wrong = new Map(failed.map(({ name, message = '' }) => [name, message]))
    for (const [name, message] of wrong) {
      if (this.#wrong.get(name) === message) continue
      this.#warn(`${name}: ${message}`)
    }
    this.#wrong = wrong
  }

  /** Failures only: an event from every node for what went well would double the cost of a rotation. */
  #warn(message: string): void {
    const { owner, events } = this.#options
    const node = owner()
    if (!node) return
    const about = { apiVersion: 'v1', kind: 'Node', ...node }
    events.warning(about, nodeEvents.trustDeliveryFailed, message)
  }
}
