import { isCondition, rotationConditions } from '../../api/conditions.ts'
import type { TrustRotationStatus } from '../../api/kinds/trust-rotation.ts'
import type { TrustRotation } from '../../api/resources.ts'
import { trustRotations } from '../../api/resources.ts'
import type { Clock } from '@machinist/core/clock'
import { sameJson } from '@machinist/core/json'
import type { KubeClient } from '@machinist/kube/client'
import type { News } from '@machinist/kube/controller/pace'
import { Pace } from '@machinist/kube/controller/pace'
import { isConflict, isNotFound } from '@machinist/kube/failure'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import type { RotationMetrics } from './rotation-metrics.ts'

/** How long news from nodes are collected before they are told. */
const batchMs = 2000

/** Writes the status of TrustRotations: when something turns at once, while nodes report every now and then. */
export class StatusTeller {
  readonly #client: KubeClient
  readonly #clock: Clock
  readonly #metrics: RotationMetrics
  readonly #paces = new Map<string, Pace>()

  constructor(client: KubeClient, clock: Clock, metrics: RotationMetrics) {
    this.#client = client
    this.#clock = clock
    this.#metrics = metrics
  }

  /** When to come again to tell it; undefined: all is told. */
  async tell(
    object: Readonly<TrustRotation>,
    status: TrustRotationStatus,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { name } = object.metadata
    this.#metrics.judge(name, isCondition(status.conditions, rotationConditions.degraded))
    const now = this.#clock.elapsed()
    const pace = this.#paces.get(name) ?? new Pace(batchMs)
    this.#paces.set(name, pace)
    const news = newsIn(object.status, status)
    const waitMs = pace.waitMs(news, now)
    if (waitMs === undefined || (waitMs > 0 && news !== 'turn')) return waitMs
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

  forget(name: string): void {
    this.#paces.delete(name)
  }
}

/** What nodes have told is told on in due time; all else is what people wait for. */
function newsIn(said: TrustRotationStatus | undefined, status: TrustRotationStatus): News {
  if (sameJson(said, status)) return 'none'
  return sameJson(turnsOf(said), turnsOf(status)) ? 'more' : 'turn'
}

function turnsOf(status: TrustRotationStatus | undefined): unknown {
  const { nodes: _, retiring, conditions, ...rest } = status ?? {}
  return {
    ...rest,
    retiring: retiring?.map(({ fingerprint }) => fingerprint) ?? [],
    conditions: conditions?.map(({ type, status: is, reason }) => [type, is, reason]) ?? [],
  }
}
