import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { timestamp } from '@machinist/core/timestamp'
import { nodeEvents } from '../../../api/reasons.ts'
import type { NodeTrustItem } from '../../../api/kinds/node-trust.ts'
import type { ObservedConfig } from '../desired/followed-config.ts'
import type { ItemReport } from './node-trust.ts'
import { requestedTurn, trustLines, trustStatus } from './node-trust.ts'
import type { NodeTrustWriter, OwnerNode } from './node-trust-writer.ts'
import type { TrustMetrics } from './trust-metrics.ts'

/** Reports what the lane found and did. */
export interface TrustReporter {
  /** Writes nothing if the report is unchanged. */
  report(report: TrustReport, signal: AbortSignal): Promise<void>
  /** Makes the next report read NodeTrust first. */
  forget(): void
}

export interface TrustReport {
  readonly observed: ObservedConfig
  readonly reports: readonly ItemReport[]
  /** The holdings that this pass wrote or removed. */
  readonly written: readonly string[]
}

export interface StatusReporterOptions extends Pick<ControllerContext, 'clock' | 'log' | 'events'> {
  /** Undefined while the Node is unknown: then only the log and the metrics report. */
  readonly owner: () => OwnerNode | undefined
  readonly writer: NodeTrustWriter
  readonly trustMetrics: TrustMetrics
}

/** Reports what was delivered and what failed: log, metrics, events, and NodeTrust last. */
export class StatusReporter implements TrustReporter {
  readonly #options: StatusReporterOptions
  /** The reported failures, by item. */
  #failed: ReadonlyMap<string, string> = new Map()

  constructor(options: StatusReporterOptions) {
    this.#options = options
  }

  async report({ observed, reports, written }: TrustReport, signal: AbortSignal): Promise<void> {
    const { owner, writer, trustMetrics: metrics, clock, log } = this.#options
    const lines = trustLines(reports)
    metrics.lines(lines)
    if (written.length > 0) {
      const { version } = observed
      log.info(`Certificate was synced from controllerconfig resourceVersion ${version}`, {
        items: written,
      })
      for (const item of written) metrics.written(item)
    }
    this.#reportFailures(lines)
    const node = owner()
    if (!node) return
    const now = timestamp(clock.now())
    const reported = { lines, requestedAt: requestedTurn(reports) }
    await writer.write(node, (before) => trustStatus(reported, observed, before, now), signal)
  }

  forget(): void {
    this.#options.writer.forget()
  }

  /** Emits one event per failure, not one per attempt. */
  #reportFailures(lines: readonly NodeTrustItem[]): void {
    const failures = lines.filter(({ state }) => state === 'Failed')
    const failed = new Map(failures.map(({ name, message = '' }) => [name, message]))
    for (const [name, message] of failed) {
      if (this.#failed.get(name) === message) continue
      this.#warn(`${name}: ${message}`)
    }
    this.#failed = failed
  }

  /** Only for failures: a success event from every node would double the cost of a rotation. */
  #warn(message: string): void {
    const { owner, events } = this.#options
    const node = owner()
    if (!node) return
    const about = { apiVersion: 'v1', kind: 'Node', ...node }
    events.warning(about, nodeEvents.trustDeliveryFailed, message)
  }
}
