import { pinnedDigest } from '../../../../src/api/pinned-images.ts'
import { silentLogger } from '@machinist/core/log'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { Host, HostImages } from '../../../../src/daemon/host/host.ts'
import { MemoryHost } from '../../../../src/daemon/host/memory/memory-host.ts'
import type { ImageSet } from '../../../../src/daemon/pinned-images/image-sets.ts'
import { PinnedImagesLane } from '../../../../src/daemon/pinned-images/lane.ts'
import type { Report } from '../../../../src/daemon/pinned-images/progress.ts'
import type { Wish } from '../../../../src/daemon/pinned-images/wish.ts'

export const dropin = '/etc/crio/crio.conf.d/50-pinned-images'
export const notes = '/etc/machine-config-daemon/pinned-images.json'
export const image = (letter: string): string =>
  `quay.io/team/${letter}@sha256:${letter.repeat(64)}`

/** One node's lane: its machine in memory, and a cluster that says what it wants and listens. */
export class Trial {
  readonly host: MemoryHost
  readonly clock = new VirtualClock()
  readonly reports: Report[] = []
  readonly stop = new AbortController()
  reads = 0
  hasMachineConfigNode = true
  sets: ImageSet[] = []
  /** What the machine does otherwise than by itself. */
  odd: Partial<HostImages> = {}
  wish: Wish = { pool: 'worker' }
  #lane: PinnedImagesLane

  constructor(host = new MemoryHost()) {
    this.host = host
    this.#lane = this.lane()
  }

  /** What the cluster pins from now on: letters are images. Announced, unless said otherwise. */
  pin(letters: string, generation = 1, uid = 'u1'): void {
    this.sets = [{ name: 'one', uid, generation, images: letters.split('').map(image) }]
    this.announce()
  }

  announce(): void {
    this.wish = { pool: 'worker', digest: pinnedDigest(this.sets) }
  }

  unpin(): void {
    this.sets = []
    this.wish = { pool: 'worker' }
  }

  /** As the daemon does: until the time to look again is more than a minute away. Gives that time. */
  async settle(): Promise<number> {
    for (let turn = 0; turn < 50; turn++) {
      const outcome = await this.#lane.reconcile(this.wish)
      if (outcome.type === 'settled') return Infinity
      if (outcome.afterMs > 60_000) return outcome.afterMs
      await this.clock.advance(outcome.afterMs)
    }
    throw new Error('it does not come to rest')
  }

  /** One turn; how long until the next. */
  async turn(): Promise<number> {
    const outcome = await this.#lane.reconcile(this.wish)
    return outcome.type === 'settled' ? Infinity : outcome.afterMs
  }

  /** Another daemon on the same machine. */
  restart(): void {
    this.#lane = this.lane()
  }

  lane({ files, images }: Pick<Host, 'files' | 'images'> = this.host): PinnedImagesLane {
    return new PinnedImagesLane({
      host: { files, images: this.#oddly(images) },
      clock: this.clock,
      random: seededRandom(3),
      log: silentLogger,
      wish: () => this.wish,
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
      room: () => images.room(),
      layers: (each, signal) => images.layers(each, signal),
      pull: (each, signal) => (odd.pull ?? images.pull.bind(images))(each, signal),
      keeps: (list) => images.keeps(list),
      keep: (list) => (odd.keep ?? images.keep.bind(images))(list),
    }
  }

  get last(): Report | undefined {
    return this.reports.at(-1)
  }

  /** As letters. */
  get pulled(): string {
    const pulls = this.host.actions.flatMap((action) =>
      action.do === 'pull' ? [action.image] : [],
    )
    return pulls.map((each) => each.at(-1)).join('')
  }

  get reloads(): number {
    return this.host.actions.filter(({ do: what }) => what === 'reload').length
  }

  /** As letters; undefined without a drop-in. */
  async kept(): Promise<string | undefined> {
    if ((await this.host.files.look(dropin)) === undefined) return undefined
    const text = Buffer.from(await this.host.files.read(dropin)).toString()
    return [...text.matchAll(/sha256:(\w)/g)].map(([, letter]) => letter).join('')
  }
}
