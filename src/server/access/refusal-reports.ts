import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import { LruMap } from '@machinist/core/lru-map'
import type { Counter } from '@machinist/core/metrics'
import type { ObjectReference } from '@machinist/core/objects/resource'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { provisioningEvents } from '../../api/reasons.ts'
import type { RefusalReason } from './refusals.ts'
import { refusalTexts } from './refusals.ts'

/** A refusal for the same reason is reported once in this time. */
const reportWindowMs = 10 * 60_000
const mostWindows = 1000

/** A reference to a pool; undefined if it does not exist. */
export type PoolLookup = (name: string) => ObjectReference | undefined

interface ReportWindow {
  startedAt: number
  suppressed: number
}

/** Counts refusals, and reports one per pool, reason and window as an event and a log line. */
export class RefusalReports {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #events: EventRecorder
  readonly #poolOf: PoolLookup
  readonly #total: Counter<'reason'>
  readonly #windows = new LruMap<ReportWindow>(mostWindows)

  constructor({ clock, log, events, metrics }: ControllerContext, poolOf: PoolLookup) {
    this.#clock = clock
    this.#log = log
    this.#events = events
    this.#poolOf = poolOf
    this.#total = metrics.counter({
      name: 'machinist_server_refusals_total',
      help: 'Total number of requests for a config that the server refused, by reason.',
      labels: ['reason'],
    })
  }

  /** `address` is the canonical address of the client. The name of the pool is from the client: other than known pools have none. */
  report(name: string, address: string, reason: RefusalReason): void {
    this.#total.add({ reason })
    const about = this.#poolOf(name)
    const pool = about ? name : 'unknown'
    const window = this.#windows.getOrCreate(JSON.stringify([about && name, reason]), () => ({
      startedAt: -Infinity,
      suppressed: 0,
    }))
    const now = this.#clock.elapsed()
    if (now - window.startedAt < reportWindowMs) {
      window.suppressed += 1
      return
    }
    const { suppressed } = window
    window.startedAt = now
    window.suppressed = 0
    this.#log.info('refused a request for a config', { pool, address, reason, suppressed })
    if (!about) return
    const message = `refused a request for the config from ${address}: ${refusalTexts[reason]}`
    this.#events.warning(about, provisioningEvents.configRefused, message)
  }
}
