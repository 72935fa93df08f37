import { Waiting } from '@machinist/core/errors'
import type { Pass } from '@machinist/kube/controller/step-controller'
import type { PinnedImagesPlan } from './decide.ts'
import type { PinnedImagesFacts, PinnedImagesResult } from './facts.ts'
import type { PinnedImagesMemory } from './memory.ts'
import type { ReportWriter } from './node-report.ts'
import type { PrefetchState } from './progress.ts'
import { reportOf } from './progress.ts'

export type PinnedImagesPass = Pass<PinnedImagesFacts, PinnedImagesPlan, PinnedImagesResult>

export interface PinnedImagesReportContext {
  readonly writer: ReportWriter
  readonly memory: PinnedImagesMemory
  /** Aborts when the daemon stops. */
  readonly stop: AbortSignal
}

const noImages: PrefetchState = { sets: [], present: new Set() }

/** Reports the state of the images on the MachineConfigNode, after a prefetch or a release. */
export async function report(
  pass: PinnedImagesPass,
  context: PinnedImagesReportContext,
): Promise<void> {
  if (pass.type === 'failed') return
  const { facts, result } = pass
  const state = stateIn(result)
  if (!state) return
  if (!(await writeReport(state, context))) {
    const message = 'the rollout controller has not created the MachineConfigNode yet'
    throw new Waiting('NoMachineConfigNode', message, context.memory.afterFailedReport())
  }
  // The next sweep also verifies the reported status.
  const isCurrent = facts.notes?.digest === facts.desired.digest
  if (result.type === 'prefetched' && result.isComplete && isCurrent) context.writer.forget()
}

/** Returns false if the MachineConfigNode does not exist yet. */
export async function writeReport(
  state: PrefetchState,
  { writer, memory, stop }: PinnedImagesReportContext,
): Promise<boolean> {
  const isWritten = await writer.write(reportOf(state), stop)
  if (isWritten) memory.reported()
  return isWritten
}

function stateIn(result: PinnedImagesResult): PrefetchState | undefined {
  if (result.type === 'released') return noImages
  return result.type === 'prefetched' ? result.state : undefined
}
