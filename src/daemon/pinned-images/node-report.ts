import { setCondition } from '../../api/conditions.ts'
import type { MachineConfigNode } from '../../api/resources.ts'
import { machineConfigNodes } from '../../api/resources.ts'
import type { Clock } from '@machinist/core/clock'
import { sameJson } from '@machinist/core/json'
import { timestamp } from '@machinist/core/timestamp'
import { modify } from '@machinist/kube/client-modify'
import type { KubeClient } from '@machinist/kube/client'
import { isNotFound } from '@machinist/kube/failure'
import type { Report } from './progress.ts'
import { goingBack, progressAfter } from './progress.ts'

/** Whom the node tells how far it is. */
export interface ReportWriter {
  /** The same again costs nothing. False: there is nothing yet to write it on. */
  write(report: Report, signal: AbortSignal): Promise<boolean>
  /** So that the next time somebody looks whether it is still there. */
  forget(): void
}

const requestMs = 30_000

/** Writes on the node's MachineConfigNode, of which others write the rest. */
export class NodeReport implements ReportWriter {
  readonly #client: KubeClient
  readonly #clock: Clock
  readonly #name: string
  #told: Report | undefined

  constructor(client: KubeClient, clock: Clock, name: string) {
    this.#client = client
    this.#clock = clock
    this.#name = name
  }

  forget(): void {
    this.#told = undefined
  }

  async write(report: Report, signal: AbortSignal): Promise<boolean> {
    if (sameJson(this.#told, report)) return true
    this.#told = undefined
    try {
      while (await this.#put(report, signal)) signal.throwIfAborted()
    } catch (error) {
      if (isNotFound(error)) return false
      throw error
    }
    this.#told = report
    return true
  }

  /** Whether it takes another write. */
  async #put(report: Report, signal: AbortSignal): Promise<boolean> {
    const now = timestamp(this.#clock.now())
    const call = { signal, timeoutMs: requestMs, subresource: 'status' } as const
    let isHalf = false
    const change = (found: MachineConfigNode): MachineConfigNode => {
      const half = withoutThoseGoingBack(found, report)
      isHalf = half !== undefined
      return half ?? withReport(found, report, now)
    }
    await modify(this.#client, machineConfigNodes, { name: this.#name }, change, call)
    return isHalf
  }
}

/** First they go, then they may come again with smaller numbers. */
function withoutThoseGoingBack(
  found: MachineConfigNode,
  { sets }: Report,
): MachineConfigNode | undefined {
  const before = found.status?.pinnedImageSets
  const back = goingBack(before, progressAfter(before, sets))
  if (back.size === 0) return undefined
  const pinnedImageSets = (before ?? []).filter(({ name }) => !back.has(name))
  return { ...found, status: { ...found.status, pinnedImageSets } }
}

function withReport(
  found: MachineConfigNode,
  { sets, conditions: reports }: Report,
  now: string,
): MachineConfigNode {
  const { pinnedImageSets: before, ...others } = found.status ?? {}
  const after = progressAfter(before, sets)
  let conditions = others.conditions
  for (const report of reports) conditions = [...setCondition(conditions, report, now)]
  return {
    ...found,
    status: {
      ...others,
      ...(conditions && { conditions }),
      ...(after.length > 0 && { pinnedImageSets: after }),
    },
  }
}
