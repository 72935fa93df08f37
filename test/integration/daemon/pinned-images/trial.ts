import { pinnedDigest } from '../../../../src/api/pinned-images.ts'
import { silentLogger } from '@machinist/core/log'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { Host, HostImages } from '../../../../src/daemon/host/host.ts'
import { MemoryHost } from '../../../../src/daemon/host/memory/memory-host.ts'
import type { ImageSet } from '../../../../src/daemon/pinned-images/image-sets.ts'
import { PinnedImagesLane } from '../../../../src/daemon/pinned-images/lane.ts'
import type { PinnedImagesReport } from '../../../../src/daemon/pinned-images/progress.ts'
import type { DesiredImages } from '../../../../src/daemon/pinned-images/desired-images.ts'

export const dropin = '/etc/crio/crio.conf.d/50-pinned-images'
export const notes = '/etc/machine-config-daemon/pinned-images.json'
export const image = (letter: string): string =>
  `quay.io/team/${letter}@sha256:${letter.repeat(64)}`

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
  #lane: PinnedImagesLane

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
      const outcome = await this.#lane.reconcile(this.desired)
      if (outcome.type === 'settled') return Infinity
      if (outcome.afterMs > 60_000) return outcome.afterMs
      await this.clock.advance(outcome.afterMs)
    }
    throw new Error('the lane does not settle')
  }

  /** Reconciles once; returns the requeue delay. */
  async turn(): Promise<number> {
    const outcome = await this.#lane.reconcile(this.desired)
    return outcome.type === 'settled' ? Infinity : outcome.afterMs
  }

  /** Starts another daemon on the same machine. */
  restart(): void {
    this.#lane = this.lane()
  }

  lane({ files, images }: Pick<Host, 'files' | 'images'> = this.host): PinnedImagesLane {
    return new PinnedImagesLane({
      host: { files, images: this.#oddly(images) },
      clock: this.clock,
      random: seededRandom(3),
      log: silentLogger,
      desired: () => this.desired,
      workers: () => 2,
      signal: this.stop.signal,
      sets: {
        read: async () => {
          this.reads += 1
          return this.sets
        },
      },
      report: {
        write: async (report) => {
          if (this.hasMachineConfigNode) this.reports.push(report)
          return this.hasMachineConfigNode
        },
        forget: () => {},
      },
    })
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
