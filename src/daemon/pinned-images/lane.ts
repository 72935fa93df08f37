import { pinnedDigest } from '../../api/pinned-images.ts'
import type { BackoffPolicy } from '@machinist/core/backoff'
import { backoffDelay } from '@machinist/core/backoff'
import type { Clock } from '@machinist/core/clock'
import { sameJson } from '@machinist/core/encoding/json'
import type { Random } from '@machinist/core/random'
import { jitter } from '@machinist/core/random'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { Host } from '../host/host.ts'
import type { PrefetchOptions } from './prefetch.ts'
import { Prefetcher } from './prefetch.ts'
import type { ImageSetSource } from './image-sets.ts'
import type { ReportWriter } from './node-report.ts'
import { NotesFile } from './notes.ts'
import type { PrefetchState } from './progress.ts'
import { reportOf } from './progress.ts'
import type { DesiredImages } from './desired-images.ts'

export interface PinnedImagesLaneOptions extends PrefetchOptions {
  readonly host: Pick<Host, 'files' | 'images'>
  readonly sets: ImageSetSource
  readonly report: ReportWriter
  readonly clock: Clock
  readonly random: Random
  /** The desired images at this moment. */
  readonly desired: () => DesiredImages | undefined
  /** Period over which the nodes of a cluster spread their reads of a change; 10 seconds by default. */
  readonly jitterMs?: number
}

const defaultJitterMs = 10_000
/** Images may be removed by a user, or by the runtime before they were pinned. */
const sweepMs = 30 * 60_000
/** Delay before sets are read again whose digest differs from the announced one. */
const rereadMs = 30_000
/** Delay before images are unpinned: the announcement may be missing only for a moment. */
const releaseMs = 30_000
const pace: BackoffPolicy = { firstMs: 5000, maxMs: 300_000, factor: 2, jitter: 0.5 }
const reportPace: BackoffPolicy = { firstMs: 10_000, maxMs: 600_000, factor: 2, jitter: 0.5 }

/** Reads the pinned image sets when their digest changes, prefetches the images, and reports. */
export class PinnedImagesLane {
  readonly #options: PinnedImagesLaneOptions
  readonly #notesFile: NotesFile
  readonly #prefetcher: Prefetcher
  /** When the sets of a digest are read, or read again. */
  #due: { readonly digest: string; readonly at: number } | undefined
  /** When images are unpinned after the announcement disappeared. */
  #releaseAt: number | undefined
  /** Consecutive incomplete prefetches. */
  #tries = 0
  /** Consecutive failed reports. */
  #failedReports = 0

  constructor(options: PinnedImagesLaneOptions) {
    this.#options = options
    this.#notesFile = new NotesFile(options.host.files)
    this.#prefetcher = new Prefetcher(options, this.#notesFile)
  }

  async reconcile(desired: DesiredImages): Promise<Outcome> {
    try {
      await this.#notesFile.read()
      return await (desired.digest === undefined
        ? this.#release()
        : this.#follow(desired, desired.digest))
    } catch (error) {
      if (this.#options.signal.aborted) return settled
      throw error
    }
  }

  async #follow(desired: DesiredImages, digest: string): Promise<Outcome> {
    const { log, signal } = this.#options
    this.#releaseAt = undefined
    const waitMs = await this.#read(desired.pool, digest)
    if (waitMs > 0) return requeueAfter(waitMs)
    const state = await this.#prefetcher.prefetch({
      sets: this.#notesFile.notes?.sets ?? [],
      isDesired: () => sameJson(this.#options.desired(), desired),
      // A failed report does not stop the prefetch.
      started: async (state) => {
        await this.#report(state).catch((error) => log.error('cannot report the progress', error))
      },
    })
    if (!state) return signal.aborted ? settled : requeueAfter(0)
    return this.#finish(state, digest)
  }

  /** Unpins all images. */
  async #release(): Promise<Outcome> {
    const { host, clock, random } = this.#options
    this.#releaseAt ??= clock.elapsed() + jitter(random, releaseMs, 0.5)
    const restMs = this.#releaseAt - clock.elapsed()
    if (restMs > 0) return requeueAfter(restMs)
    if (await host.images.runtime()) await this.#prefetcher.keep([])
    if (!(await this.#report({ sets: [], present: new Set() }))) return this.#reportLater()
    await this.#notesFile.remove()
    return settled
  }

  /** Reads the sets if their digest is new. Returns how long to wait before it can. */
  async #read(pool: string, digest: string): Promise<number> {
    const { clock, random, sets: source, signal, jitterMs = defaultJitterMs } = this.#options
    const { notes } = this.#notesFile
    if (notes?.digest === digest) return 0
    const now = clock.elapsed()
    if (this.#due?.digest !== digest) this.#due = { digest, at: now + random.next() * jitterMs }
    if (now < this.#due.at) return this.#due.at - now
    const sets = await source.read(pool, signal)
    const read = pinnedDigest(sets)
    if (read !== notes?.digest) {
      this.#tries = 0
      this.#prefetcher.forgetSizes()
      await this.#notesFile.write({ ...notes, digest: read, sets })
    }
    this.#due = { digest, at: clock.elapsed() + jitter(random, rereadMs, 0.5) }
    return 0
  }

  async #finish(state: PrefetchState, digest: string): Promise<Outcome> {
    const { clock, random, report } = this.#options
    if (!(await this.#report(state))) return this.#reportLater()
    if (state.problem || (state.failures?.size ?? 0) > 0) {
      return requeueAfter(backoffDelay(pace, this.#tries++, random))
    }
    this.#tries = 0
    this.#prefetcher.forgetSizes()
    if (this.#notesFile.notes?.digest !== digest) {
      return requeueAfter(Math.max(0, (this.#due?.at ?? 0) - clock.elapsed()))
    }
    // The next sweep also verifies the reported status.
    report.forget()
    return requeueAfter(jitter(random, sweepMs, 0.2))
  }

  async #report(state: PrefetchState): Promise<boolean> {
    const { report, signal } = this.#options
    const isWritten = await report.write(reportOf(state), signal)
    if (isWritten) this.#failedReports = 0
    return isWritten
  }

  /** The rollout controller has not created the MachineConfigNode yet. */
  #reportLater(): Outcome {
    return requeueAfter(backoffDelay(reportPace, this.#failedReports++, this.#options.random))
  }
}
