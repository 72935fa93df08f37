import type { Clock } from '@machinist/core/clock'
import { sameJson } from '@machinist/core/encoding/json'
import { timestamp } from '@machinist/core/timestamp'
import { modify } from '@machinist/kube/client/modify'
import type { KubeClient } from '@machinist/kube/client/client'
import { isNotFound } from '@machinist/kube/failure'
import { setCondition } from '../../api/conditions.ts'
import type { MachineConfigNode } from '../../api/kinds/resources.ts'
import { machineConfigNodes } from '../../api/kinds/resources.ts'
import type { PinnedImagesReport } from './progress.ts'
import { regressingSets, progressAfter } from './progress.ts'

/** Writes the report of the node. */
export interface ReportWriter {
  /** Does nothing for an unchanged report. Returns false if the MachineConfigNode does not exist yet. */
  write(report: PinnedImagesReport, signal: AbortSignal): Promise<boolean>
  /** Makes the next write send a request even if the report is unchanged. */
  forget(): void
}

const requestMs = 30_000

/** Writes the report to the MachineConfigNode, which has other writers for its other fields. */
export class NodeReportWriter implements ReportWriter {
  readonly #client: KubeClient
  readonly #clock: Clock
  readonly #name: string
  #written: PinnedImagesReport | undefined

  constructor(client: KubeClient, clock: Clock, name: string) {
    this.#client = client
    this.#clock = clock
    this.#name = name
  }

  forget(): void {
    this.#written = undefined
  }

  async write(report: PinnedImagesReport, signal: AbortSignal): Promise<boolean> {
    if (sameJson(this.#written, report)) return true
    this.#written = undefined
    try {
      while (await this.#put(report, signal)) signal.throwIfAborted()
    } catch (error) {
      if (isNotFound(error)) return false
      throw error
    }
    this.#written = report
    return true
  }

  /** Returns whether another write is needed. */
  async #put(report: PinnedImagesReport, signal: AbortSignal): Promise<boolean> {
    const now = timestamp(this.#clock.now())
    const call = { signal, timeoutMs: requestMs, subresource: 'status' } as const
    let isHalf = false
    const change = (found: MachineConfigNode): MachineConfigNode => {
      const half = withoutRegressing(found, report)
      isHalf = half !== undefined
      return half ?? withReport(found, report, now)
    }
    await modify(this.#client, machineConfigNodes, { name: this.#name }, change, call)
    return isHalf
  }
}

/** Sets whose generations decrease are removed first, and added again by the next write. */
function withoutRegressing(
  found: MachineConfigNode,
  { sets }: PinnedImagesReport,
): MachineConfigNode | undefined {
  const before = found.status?.pinnedImageSets
  const back = regressingSets(before, progressAfter(before, sets))
  if (back.size === 0) return undefined
  const pinnedImageSets = (before ?? []).filter(({ name }) => !back.has(name))
  return { ...found, status: { ...found.status, pinnedImageSets } }
}

function withReport(
  found: MachineConfigNode,
  { sets, conditions: reports }: PinnedImagesReport,
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
