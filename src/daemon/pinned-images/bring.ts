import { pinnedImagesReasons as reasons } from '../../api/reasons.ts'
import { contentDigest } from '@machinist/core/digest'
import { messageOf } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import { HostFailure } from '../host/host-failure.ts'
import type { Host } from '../host/host.ts'
import { fewAtATime } from './few-at-a-time.ts'
import type { ImageSet } from './image-sets.ts'
import { imagesIn } from './image-sets.ts'
import type { NoteBook } from './notes.ts'
import type { Stage } from './progress.ts'
import type { Pulled } from './pulls.ts'
import { pullAll } from './pulls.ts'
import { shortage } from './room.ts'

export interface BringOptions {
  readonly host: Pick<Host, 'images'>
  readonly log: Logger
  /** How many images are pulled at a time. */
  readonly workers: () => number
  /** How many bytes stay free whatever is pinned; 16 GiB. */
  readonly keepFreeBytes?: number
  /** Ends what is under way. */
  readonly signal: AbortSignal
}

export interface Order {
  readonly sets: readonly ImageSet[]
  /** The cluster may want something else by now. */
  readonly isWanted: () => boolean
  /** Called before the first pull. */
  readonly begins: (stage: Stage) => Promise<void>
}

const usualFreeBytes = 16 * 1024 ** 3
const nothing = contentDigest([])

/** Pulls what is missing, and has the runtime keep what is there. */
export class Bringer {
  readonly #options: BringOptions
  readonly #book: NoteBook
  /** Nobody asks a registry twice about an image for which there is no room. */
  readonly #layers = new Map<string, ReadonlyMap<string, number> | undefined>()

  constructor(options: BringOptions, book: NoteBook) {
    this.#options = options
    this.#book = book
  }

  /** What it came to; undefined if it was left in the middle. */
  async bring(order: Order): Promise<Stage | undefined> {
    const { host, log, signal } = this.#options
    const { sets } = order
    try {
      if (await host.images.runtime()) return await this.#pull(order)
      const message = 'neither CRI-O nor containerd runs here, and nothing else keeps images for us'
      return { sets, present: new Set(), problem: { reason: reasons.notSupported, message } }
    } catch (error) {
      if (signal.aborted) return undefined
      if (!(error instanceof HostFailure)) throw error
      log.error('cannot keep pinned images', error)
      const problem = { reason: reasons.failed, message: messageOf(error) }
      return { sets, present: new Set(), problem }
    }
  }

  /** Noted when it is done: who is killed in the middle does it again. */
  async keep(images: readonly string[]): Promise<void> {
    const { images: runtime } = this.#options.host
    const digest = contentDigest(images)
    const isNoted = (this.#book.notes?.kept ?? nothing) === digest
    if (isNoted && (await runtime.keeps(images))) return
    await runtime.keep(images)
    if (this.#book.notes) await this.#book.write({ ...this.#book.notes, kept: digest })
  }

  forgetSizes(): void {
    this.#layers.clear()
  }

  async #pull({ sets, isWanted, begins }: Order): Promise<Stage | undefined> {
    const { host, log, signal } = this.#options
    const images = imagesIn(sets)
    const before = await host.images.present(images, signal)
    const missing = images.filter((image) => !before.has(image))
    let stage: Stage = { sets, present: before }
    if (missing.length > 0) {
      const pulled = await this.#pullThose(missing, isWanted, () => begins(stage))
      if (signal.aborted || !isWanted()) return undefined
      const present = await host.images.present(images, signal)
      stage = stageAfter(sets, missing, present, pulled)
      const left = images.length - present.size
      log.info('pulled pinned images', { wanted: images.length, missing: left })
    }
    await this.keep(images.filter((image) => stage.present.has(image)))
    return stage
  }

  async #pullThose(
    missing: readonly string[],
    isWanted: () => boolean,
    begins: () => Promise<void>,
  ): Promise<Pulled> {
    const { host, signal, workers, keepFreeBytes = usualFreeBytes } = this.#options
    const { images } = host
    const unknown = missing.filter((image) => !this.#layers.has(image))
    await fewAtATime(unknown, workers(), async (image) => {
      this.#layers.set(image, await images.layers(image, signal))
      return signal.aborted || !isWanted() ? 'stop' : 'next'
    })
    const layers = missing.map((image) => this.#layers.get(image))
    const tooLittle = shortage({ layers, freeBytes: await images.room(), keepFreeBytes })
    if (tooLittle !== undefined) return { failures: new Map(), shortage: tooLittle }
    await begins()
    return pullAll(missing, { images, workers: workers(), keepFreeBytes, signal, isWanted })
  }
}

/** What was pulled without a complaint and is not there all the same has failed, too. */
function stageAfter(
  sets: readonly ImageSet[],
  missing: readonly string[],
  present: ReadonlySet<string>,
  { failures, shortage: tooLittle }: Pulled,
): Stage {
  if (tooLittle !== undefined) {
    return { sets, present, failures, problem: { reason: reasons.noRoom, message: tooLittle } }
  }
  const vanished = missing
    .filter((image) => !present.has(image) && !failures.has(image))
    .map((image) => [image, `${image} was gone again right after it was pulled`] as const)
  return { sets, present, failures: new Map([...failures, ...vanished]) }
}
