import { CrioPins } from '../crio-pins.ts'
import { HostFailure } from '../host-failure.ts'
import type { ContainerRuntime, HostFiles, HostImages, HostUnits } from '../host.ts'
import { digestIn, imageByDigest } from '../image-by-digest.ts'
import { OneAtATime } from '../one-at-a-time.ts'
import type { NoteAction } from './machine-action.ts'
import { putText, simulationState, textAt } from './state-file.ts'

/** Images that were pulled, one per line. */
const pulled = `${simulationState}/images`
/** For tests and for people who want to see what happens: images that cannot be pulled, one per line; and free bytes. */
const failing = `${simulationState}/failing-images`
const freeBytes = `${simulationState}/image-room`

const gibibyte = 1024 ** 3
const usualRoom = 100 * gibibyte
const usualSize = gibibyte / 8

/** Images of a machine that runs no containers: what was pulled is written down, and pinned as on CRI-O. */
export class SimulatedImages implements HostImages {
  readonly #files: HostFiles
  readonly #pins: CrioPins
  readonly #note: NoteAction
  readonly #turns = new OneAtATime()

  constructor(files: HostFiles, units: Pick<HostUnits, 'reload'>, note: NoteAction) {
    this.#files = files
    this.#pins = new CrioPins(files, units)
    this.#note = note
  }

  async runtime(): Promise<ContainerRuntime> {
    return 'crio'
  }

  async present(images: readonly string[], signal?: AbortSignal): Promise<Set<string>> {
    signal?.throwIfAborted()
    const there = new Set(await this.#lines(pulled))
    return new Set(images.map(imageByDigest).filter((image) => there.has(image)))
  }

  async room(): Promise<number> {
    return Number((await textAt(this.#files, freeBytes)) ?? usualRoom)
  }

  async layers(image: string): Promise<ReadonlyMap<string, number>> {
    return new Map([[digestIn(imageByDigest(image)), usualSize]])
  }

  async pull(image: string, signal: AbortSignal): Promise<void> {
    imageByDigest(image)
    signal.throwIfAborted()
    if ((await this.#lines(failing)).includes(image)) {
      throw new HostFailure(`pulling ${image} failed: manifest unknown`, 'exit 1')
    }
    await this.#change(async (there) => {
      if (there.includes(image)) return there
      await this.#note({ do: 'pull', image })
      return [...there, image]
    })
  }

  keeps(images: readonly string[]): Promise<boolean> {
    return this.#pins.keeps(images)
  }

  keep(images: readonly string[]): Promise<void> {
    return this.#pins.keep(images)
  }

  /** Somebody removes an image, as `crictl rmi` would. */
  async remove(image: string): Promise<void> {
    await this.#change(async (there) => there.filter((each) => each !== image))
  }

  /** From now on this image cannot be pulled, or can be again. */
  async setPullable(image: string, pullable: boolean): Promise<void> {
    const others = (await this.#lines(failing)).filter((each) => each !== image)
    await putText(this.#files, failing, text(pullable ? others : [...others, image]))
  }

  async setRoom(bytes: number): Promise<void> {
    await putText(this.#files, freeBytes, String(bytes))
  }

  #change(to: (there: readonly string[]) => Promise<readonly string[]>): Promise<void> {
    return this.#turns.run(async () => {
      await putText(this.#files, pulled, text(await to(await this.#lines(pulled))))
    })
  }

  async #lines(path: string): Promise<string[]> {
    return ((await textAt(this.#files, path)) ?? '').split('\n').filter((line) => line !== '')
  }
}

const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')
