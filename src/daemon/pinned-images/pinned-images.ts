import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { settled } from '@machinist/kube/controller/outcome'
import { stepController } from '@machinist/kube/controller/step-controller'
import type { PinnedImagesCaches } from './inputs.ts'
import { pinnedImagesInputs } from './inputs.ts'
import type { PinnedImagesSources } from './gather.ts'
import { gather } from './gather.ts'
import type { PinnedImagesResult } from './facts.ts'
import { decide } from './decide.ts'
import type { LateSteps, PinnedImagesTools } from './late-steps.ts'
import { next } from './next.ts'
import { PinnedImagesMemory } from './memory.ts'
import { NotesFile } from './notes.ts'

export interface PinnedImagesParts extends Pick<PinnedImagesSources, 'host' | 'desired'> {
  /** Called when images are pinned for the first time. */
  readonly openTools: () => Promise<PinnedImagesTools>
  /** Aborts when the daemon stops: pulls in progress are canceled. */
  readonly stop: AbortSignal
}

export interface PinnedImagesSettings {
  /** Bytes that stay free on the disk; 16 GiB by default. */
  readonly keepFreeBytes?: number
  /** Period over which the nodes of a cluster spread their reads of a change; 10 seconds by default. */
  readonly jitterMs?: number
}

const defaultJitterMs = 10_000

/**
 * Keeps the pinned images of the pool on the node. It runs beside the two lanes, and neither waits for it. The steps that pull
 * and report are imported when they are needed first, because most nodes pin nothing.
 */
export function nodePinnedImagesController(
  context: ControllerContext,
  caches: PinnedImagesCaches,
  parts: PinnedImagesParts,
  settings: PinnedImagesSettings = {},
): Controller {
  const { host, desired, stop } = parts
  const { jitterMs = defaultJitterMs } = settings
  const memory = new PinnedImagesMemory(context.clock, context.random, jitterMs)
  const sources = { host, desired, notesFile: new NotesFile(host.files), memory }
  let opened: LateSteps | undefined
  const late = async (): Promise<LateSteps> => {
    if (opened) return opened
    const { lateSteps } = await import('./late-steps.ts')
    const tools = await parts.openTools()
    opened = lateSteps({ ...sources, ...tools, ...settings, log: context.log, stop })
    return opened
  }
  return stepController(context, {
    name: 'node-pinned-images',
    inputs: pinnedImagesInputs(caches, desired),
    outputs: ['MachineConfigNode'],
    gather: (_key, _step, previous?: PinnedImagesResult) => gather(sources, previous),
    decide,
    act: async (plan, facts, step) => (await late()).act(plan, facts, step),
    report: async (pass, step) => (await late()).report(pass, step),
    next: (pass) => next(pass, memory, stop),
    recover: (failure) => {
      if (stop.aborted) return settled
      throw failure
    },
  })
}
