import { contentDigest } from '@machinist/core/encoding/digest'
import { messageOf } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import { pinnedImagesReasons as reasons } from '../../api/reasons.ts'
import { HostFailure } from '../host/host-failure.ts'
import type { Host } from '../host/host.ts'
import { forEachLimited } from './limited-concurrency.ts'
import type { ImageSet } from './image-sets.ts'
import { imagesIn } from './image-sets.ts'
import type { NotesFile } from './notes.ts'
import type { PrefetchState } from './progress.ts'
import type { PullResult } from './pulls.ts'
import { pullAll } from './pulls.ts'
import { shortage } from './disk-space.ts'

export interface PrefetchOptions {
  readonly host: Pick<Host, 'images'>
  readonly log: Logger
  /** Number of concurrent pulls. */
  readonly workers: () => number
  /** Bytes that stay free on the disk; 16 GiB by default. */
  readonly keepFreeBytes?: number
  /** Cancels pulls in progress. */
  readonly signal: AbortSignal
}

export interface PrefetchRequest {
  readonly sets: readonly ImageSet[]
  /** Whether the sets are still the desired ones. */
  readonly isDesired: () => boolean
  /** Called before the first pull. */
  readonly started: (state: PrefetchState) => Promise<void>
}

const defaultFreeBytes = 16 * 1024 ** 3
const nothing = contentDigest([])

/** Pulls missing images, and pins the present ones in the container runtime. */
export class Prefetcher {
  readonly #options: PrefetchOptions
  readonly #notesFile: NotesFile
  /** Layer sizes by image, so that the registry is not queried again for an image that does not fit. */
  readonly #layers = new Map<string, ReadonlyMap<string, number> | undefined>()

  constructor(options: PrefetchOptions, notesFile: NotesFile) {
    this.#options = options
    this.#notesFile = notesFile
  }

  /** Returns the resulting state; undefined if it was interrupted. */
  async prefetch(order: PrefetchRequest): Promise<PrefetchState | undefined> {
    const { host, log, signal } = this.#options
    const { sets } = order
    try {
      if (await host.images.runtime()) return await this.#pull(order)
      const message =
        'neither CRI-O nor containerd runs on this node, and no other runtime is supported'
      return { sets, present: new Set(), problem: { reason: reasons.notSupported, message } }
    } catch (error) {
      if (signal.aborted) return undefined
      if (!(error instanceof HostFailure)) throw error
      log.error('cannot prefetch pinned images', error)
      const problem = { reason: reasons.failed, message: messageOf(error) }
      return { sets, present: new Set(), problem }
    }
  }

  /** Pins images in the runtime. Noted afterwards, so that a daemon that is killed repeats it. */
  async keep(images: readonly string[]): Promise<void> {
    const { images: runtime } = this.#options.host
    const digest = contentDigest(images)
    const isNoted = (this.#notesFile.notes?.kept ?? nothing) === digest
    if (isNoted && (await runtime.hasPins(images))) return
    await runtime.setPins(images)
    if (this.#notesFile.notes)
      await this.#notesFile.write({ ...this.#notesFile.notes, kept: digest })
  }

  forgetSizes(): void {
    this.#layers.clear()
  }

  async #pull({ sets, isDesired, started }: PrefetchRequest): Promise<PrefetchState | undefined> {
    const { host, log, signal } = this.#options
    const images = imagesIn(sets)
    const before = await host.images.present(images, signal)
    const missing = images.filter((image) => !before.has(image))
    let state: PrefetchState = { sets, present: before }
    if (missing.length > 0) {
      const pulled = await this.#pullMissing(missing, isDesired, () => started(state))
      if (signal.aborted || !isDesired()) return undefined
      const present = await host.images.present(images, signal)
      state = stateAfter(sets, missing, present, pulled)
      const left = images.length - present.size
      log.info('pulled pinned images', { desired: images.length, missing: left })
    }
    await this.keep(images.filter((image) => state.present.has(image)))
    return state
  }

  async #pullMissing(
    missing: readonly string[],
    isDesired: () => boolean,
    started: () => Promise<void>,
  ): Promise<PullResult> {
    const { host, signal, workers, keepFreeBytes = defaultFreeBytes } = this.#options
    const { images } = host
    const unknown = missing.filter((image) => !this.#layers.has(image))
    await forEachLimited(unknown, workers(), async (image) => {
      this.#layers.set(image, await images.layers(image, signal))
      return signal.aborted || !isDesired() ? 'stop' : 'next'
    })
    const layers = missing.map((image) => this.#layers.get(image))
    const spaceProblem = shortage({ layers, freeBytes: await images.freeBytes(), keepFreeBytes })
    if (spaceProblem !== undefined) return { failures: new Map(), shortage: spaceProblem }
    await started()
    return pullAll(missing, { images, workers: workers(), keepFreeBytes, signal, isDesired })
  }
}

/** An image that is absent after a successful pull counts as failed. */
function stateAfter(
  sets: readonly ImageSet[],
  missing: readonly string[],
  present: ReadonlySet<string>,
  { failures, shortage: spaceProblem }: PullResult,
): PrefetchState {
  if (spaceProblem !== undefined) {
    return { sets, present, failures, problem: { reason: reasons.noRoom, message: spaceProblem } }
  }
  const vanished = missing
    .filter((image) => !present.has(image) && !failures.has(image))
    .map((image) => [image, `${image} disappeared right after it was pulled`] as const)
  return { sets, present, failures: new Map([...failures, ...vanished]) }
}
