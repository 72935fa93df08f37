import { pinnedDigest } from '../../api/pinned-images.ts'
import type { BackoffPolicy } from '@machinist/core/backoff'
import { backoffDelay } from '@machinist/core/backoff'
import type { Clock } from '@machinist/core/clock'
import { sameJson } from '@machinist/core/json'
import type { Random } from '@machinist/core/random'
import { jitter } from '@machinist/core/random'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { Host } from '../host/host.ts'
import type { BringOptions } from './bring.ts'
import { Bringer } from './bring.ts'
import type { ImageSetSource } from './image-sets.ts'
import type { ReportWriter } from './node-report.ts'
import { NoteBook } from './notes.ts'
import type { Stage } from './progress.ts'
import { reportOf } from './progress.ts'
import type { Wish } from './wish.ts'

export interface LaneOptions extends BringOptions {
  readonly host: Pick<Host, 'files' | 'images'>
  readonly sets: ImageSetSource
  readonly report: ReportWriter
  readonly clock: Clock
  readonly random: Random
  /** What the cluster wants at this moment. */
  readonly wish: () => Wish | undefined
  /** Over which time the nodes of a cluster spread their reads of a change; 10 seconds. */
  readonly jitterMs?: number
}

const usualJitterMs = 10_000
/** Images may be removed by hand, or by a runtime that had not been told yet. */
const sweepMs = 30 * 60_000
/** What was read is not what was announced: one of the two is about to change. */
const rereadMs = 30_000
/** A cluster that says for a moment that nothing is pinned need not mean it. */
const releaseMs = 30_000
const pace: BackoffPolicy = { firstMs: 5000, maxMs: 300_000, factor: 2, jitter: 0.5 }
const tellPace: BackoffPolicy = { firstMs: 10_000, maxMs: 600_000, factor: 2, jitter: 0.5 }

/** Reads what is pinned if that is news, has it brought, tells. */
export class PinnedImagesLane {
  readonly #options: LaneOptions
  readonly #book: NoteBook
  readonly #bringer: Bringer
  /** When the sets behind an announcement are read, or read again. */
  #due: { readonly digest: string; readonly at: number } | undefined
  /** When it is believed that nothing is pinned any more. */
  #releaseAt: number | undefined
  /** In a row: attempts that did not bring everything; and what could not be told. */
  #tries = 0
  #untold = 0

  constructor(options: LaneOptions) {
    this.#options = options
    this.#book = new NoteBook(options.host.files)
    this.#bringer = new Bringer(options, this.#book)
  }

  async reconcile(wish: Wish): Promise<Outcome> {
    try {
      await this.#book.read()
      return await (wish.digest === undefined ? this.#release() : this.#follow(wish, wish.digest))
    } catch (error) {
      if (this.#options.signal.aborted) return settled
      throw error
    }
  }

  async #follow(wish: Wish, digest: string): Promise<Outcome> {
    const { log, signal } = this.#options
    this.#releaseAt = undefined
    const waitMs = await this.#read(wish.pool, digest)
    if (waitMs > 0) return requeueAfter(waitMs)
    const stage = await this.#bringer.bring({
      sets: this.#book.notes?.sets ?? [],
      isWanted: () => sameJson(this.#options.wish(), wish),
      // That it cannot be told is no reason not to do it.
      begins: async (begun) => {
        await this.#tell(begun).catch((error) => log.error('cannot tell the progress', error))
      },
    })
    if (!stage) return signal.aborted ? settled : requeueAfter(0)
    return this.#conclude(stage, digest)
  }

  /** Nothing is pinned any more. */
  async #release(): Promise<Outcome> {
    const { host, clock, random } = this.#options
    this.#releaseAt ??= clock.elapsed() + jitter(random, releaseMs, 0.5)
    const restMs = this.#releaseAt - clock.elapsed()
    if (restMs > 0) return requeueAfter(restMs)
    if (await host.images.runtime()) await this.#bringer.keep([])
    if (!(await this.#tell({ sets: [], present: new Set() }))) return this.#tellLater()
    await this.#book.remove()
    return settled
  }

  /** How long to wait before there is something to go by. */
  async #read(pool: string, digest: string): Promise<number> {
    const { clock, random, sets: source, signal, jitterMs = usualJitterMs } = this.#options
    const { notes } = this.#book
    if (notes?.digest === digest) return 0
    const now = clock.elapsed()
    if (this.#due?.digest !== digest) this.#due = { digest, at: now + random.next() * jitterMs }
    if (now < this.#due.at) return this.#due.at - now
    const sets = await source.read(pool, signal)
    const read = pinnedDigest(sets)
    if (read !== notes?.digest) {
      this.#tries = 0
      this.#bringer.forgetSizes()
      await this.#book.write({ ...notes, digest: read, sets })
    }
    this.#due = { digest, at: clock.elapsed() + jitter(random, rereadMs, 0.5) }
    return 0
  }

  async #conclude(stage: Stage, digest: string): Promise<Outcome> {
    const { clock, random, report } = this.#options
    if (!(await this.#tell(stage))) return this.#tellLater()
    if (stage.problem || (stage.failures?.size ?? 0) > 0) {
      return requeueAfter(backoffDelay(pace, this.#tries++, random))
    }
    this.#tries = 0
    this.#bringer.forgetSizes()
    if (this.#book.notes?.digest !== digest) {
      return requeueAfter(Math.max(0, (this.#due?.at ?? 0) - clock.elapsed()))
    }
    // Next time, also whether what was told is still there.
    report.forget()
    return requeueAfter(jitter(random, sweepMs, 0.2))
  }

  async #tell(stage: Stage): Promise<boolean> {
    const { report, signal } = this.#options
    const isTold = await report.write(reportOf(stage), signal)
    if (isTold) this.#untold = 0
    return isTold
  }

  /** The cluster's side makes the MachineConfigNode. */
  #tellLater(): Outcome {
    return requeueAfter(backoffDelay(tellPace, this.#untold++, this.#options.random))
  }
}
