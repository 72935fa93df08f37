import type { Clock } from '@machinist/core/clock'
import { sameJson } from '@machinist/core/encoding/json'
import type { KubeClient } from '@machinist/kube/client/client'
import type { PendingReport } from '@machinist/kube/controller/write-pacer'
import { WritePacer } from '@machinist/kube/controller/write-pacer'
import { isConflict, isNotFound } from '@machinist/kube/failure'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import { isCondition, rotationConditions } from '../../../api/conditions.ts'
import type { TrustRotationStatus } from '../../../api/kinds/trust-rotation.ts'
import type { TrustRotation } from '../../../api/kinds/resources.ts'
import { trustRotations } from '../../../api/kinds/resources.ts'
import type { RotationMetrics } from './rotation-metrics.ts'

/** How long changes from nodes are batched before they are written. */
const batchMs = 2000

/** Writes the status of TrustRotations: state changes at once, changes of node counts in batches. */
export class RotationStatusReporter {
  readonly #client: KubeClient
  readonly #clock: Clock
  readonly #metrics: RotationMetrics
  readonly #paces = new Map<string, WritePacer>()
  readonly #waits = new Map<string, number>()

  constructor(client: KubeClient, clock: Clock, metrics: RotationMetrics) {
    this.#client = client
    this.#clock = clock
    this.#metrics = metrics
  }

  async report(
    object: Readonly<TrustRotation>,
    status: TrustRotationStatus,
    signal: AbortSignal,
  ): Promise<void> {
    const { name } = object.metadata
    this.#metrics.reportDegraded(name, isCondition(status.conditions, rotationConditions.degraded))
    const waitMs = await this.#write(object, status, signal)
    if (waitMs === undefined) this.#waits.delete(name)
    else this.#waits.set(name, waitMs)
  }

  /** The delay before the status can be written; undefined: it is up to date. */
  waitMs(name: string): number | undefined {
    return this.#waits.get(name)
  }

  forget(name: string): void {
    this.#paces.delete(name)
    this.#waits.delete(name)
  }

  async #write(
    object: Readonly<TrustRotation>,
    status: TrustRotationStatus,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { name } = object.metadata
    const now = this.#clock.elapsed()
    const pace = this.#paces.get(name) ?? new WritePacer(batchMs)
    this.#paces.set(name, pace)
    const pending = pendingReport(object.status, status)
    const waitMs = pace.waitMs(pending, now)
    if (waitMs === undefined || (waitMs > 0 && pending !== 'transition')) return waitMs
    try {
      const options = { subresource: 'status', signal } as const
      await this.#client.replace(trustRotations, { ...object, status }, options)
    } catch (error) {
      if (isNotFound(error)) return undefined
      if (isConflict(error)) return catchUpMs
      throw error
    }
    pace.wrote(now)
    return undefined
  }
}

/** Changes of node counts are batched; all other changes are transitions. */
function pendingReport(
  before: TrustRotationStatus | undefined,
  status: TrustRotationStatus,
): PendingReport {
  if (sameJson(before, status)) return 'none'
  return sameJson(transitionPart(before), transitionPart(status)) ? 'more' : 'transition'
}

function transitionPart(status: TrustRotationStatus | undefined): unknown {
  const { nodes: _, retiring, conditions, ...rest } = status ?? {}
  return {
    ...rest,
    retiring: retiring?.map(({ fingerprint }) => fingerprint) ?? [],
    conditions: conditions?.map(({ type, status: value, reason }) => [type, value, reason]) ?? [],
  }
}
