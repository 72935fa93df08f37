import { Waiting } from '@machinist/core/errors'
import { silentLogger } from '@machinist/core/log'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter } from '@machinist/kube/controller/outcome'
import { pinnedDigest } from '../../../../src/api/pinned-images.ts'
import type { Host, HostImages } from '../../../../src/daemon/host/host.ts'
import { MemoryHost } from '../../../../src/daemon/host/memory/memory-host.ts'
import type { PinnedImagesTools } from '../../../../src/daemon/pinned-images/late-steps.ts'
import type { ImageSet } from '../../../../src/daemon/pinned-images/image-sets.ts'
import { nodePinnedImagesController } from '../../../../src/daemon/pinned-images/pinned-images.ts'
import type { PinnedImagesReport } from '../../../../src/daemon/pinned-images/progress.ts'
import type { DesiredImages } from '../../../../src/daemon/pinned-images/desired-images.ts'

export const dropin = '/etc/crio/crio.conf.d/50-pinned-images'
export const notes = '/etc/machine-config-daemon/pinned-images.json'
export const image = (letter: string): string =>
  `quay.io/team/${letter}@sha256:${letter.repeat(64)}`

/** Reconciles once; a wait is an outcome. */
interface Lane {
  reconcile(): Promise<Outcome>
}

/** Nothing changes by itself: tests reconcile when they want. */
const still = { synced: () => Promise.resolve(true), subscribe: () => () => {} }

/** The lane of one node with a machine in memory and a cluster that records reports. */
export class Trial {
  readonly host: MemoryHost
  readonly clock = new VirtualClock()
  readonly reports: PinnedImagesReport[] = []
  readonly stop = new AbortController()
  reads = 0
  hasMachineConfigNode = true
  sets: ImageSet[] = []
  /** Overrides of the machine. */
  odd: Partial<HostImages> = {}
  desired: DesiredImages = { pool: 'worker' }
  #lane: Lane

  constructor(host = new MemoryHost()) {
    this.host = host
    this.#lane = this.lane()
  }

  /** Pins and announces images; each letter is an image. */
  pin(letters: string, generation = 1, uid = 'u1'): void {
    this.sets = [{ name: 'one', uid, generation, images: letters.split('').map(image) }]
    this.announce()
  }

  announce(): void {
    this.desired = { pool: 'worker', digest: pinnedDigest(this.sets) }
  }

  unpin(): void {
    this.sets = []
    this.desired = { pool: 'worker' }
  }

  /** Reconciles until the requeue delay is more than a minute; returns the delay. */
  async settle(): Promise<number> {
    for (let turn = 0; turn < 50; turn++) {
      const outcome = await this.#lane.reconcile()
      if (outcome.type === 'settled') return Infinity
      if (outcome.afterMs > 60_000) return outcome.afterMs
      await this.clock.advance(outcome.afterMs)
    }
    throw new Error('the lane does not settle')
  }

  /** Reconciles once; returns the requeue delay. */
  async turn(): Promise<number> {
    const outcome = await this.#lane.reconcile()
    return outcome.type === 'settled' ? Infinity : outcome.afterMs
  }

  /** Starts another daemon on the same machine. */
  restart(): void {
    this.#lane = this.lane()
  }

  lane({ files, images }: Pick<Host, 'files' | 'images'> = this.host): Lane {
    // The lane uses no other tools.
    const context = { clock: this.clock, random: seededRandom(3), log: silentLogger }
    const tools: PinnedImagesTools = {
      workers: () => 2,
      sets: {
        read: async () => {
          this.reads += 1
          return this.sets
        },
      },
      writer: {
        write: async (report) => {
          if (this.hasMachineConfigNode) this.reports.push(report)
          return this.hasMachineConfigNode
        },
        forget: () => {},
      },
    }
    const controller = nodePinnedImagesController(
      context as unknown as ControllerContext,
      { node: still, config: still },
      {
        host: { files, images: this.#oddly(images) },
        desired: () => this.desired,
        openTools: () => Promise.resolve(tools),
        stop: this.stop.signal,
      },
    )
    const { signal } = new AbortController()
    const reconcile = (): Promise<Outcome> =>
      controller.reconcile('key', { log: silentLogger, signal, retries: 0 }).catch(waitOutcome)
    return { reconcile }
  }

  #oddly(images: HostImages): HostImages {
    const { odd } = this
    return {
      runtime: () => images.runtime(),
      present: (list) => images.present(list),
      freeBytes: () => images.freeBytes(),
      layers: (each, signal) => images.layers(each, signal),
      pull: (each, signal) => (odd.pull ?? images.pull.bind(images))(each, signal),
      hasPins: (list) => images.hasPins(list),
      setPins: (list) => (odd.setPins ?? images.setPins.bind(images))(list),
    }
  }

  get last(): PinnedImagesReport | undefined {
    return this.reports.at(-1)
  }

  /** The pulled images, as letters. */
  get pulled(): string {
    const pulls = this.host.actions.flatMap((action) =>
      action.type === 'pull' ? [action.image] : [],
    )
    return pulls.map((each) => each.at(-1)).join('')
  }

  get reloads(): number {
    return this.host.actions.filter(({ type }) => type === 'reload').length
  }

  /** The pinned images, as letters; undefined without a drop-in. */
  async kept(): Promise<string | undefined> {
    if ((await this.host.files.stat(dropin)) === undefined) return undefined
    const text = Buffer.from(await this.host.files.read(dropin)).toString()
    return [...text.matchAll(/sha256:(\w)/g)].map(([, letter]) => letter).join('')
  }
}

function waitOutcome(error: unknown): Outcome {
  if (error instanceof Waiting) return requeueAfter(error.afterMs)
  throw error
}
