import { CrioPins } from '../crio-pins.ts'
import { HostFailure } from '../host-failure.ts'
import type { ContainerRuntime, HostFiles, HostImages, HostUnits } from '../host.ts'
import { digestOf, requireImageByDigest } from '../image-by-digest.ts'
import { SerialQueue } from '../serial-queue.ts'
import type { RecordAction } from './machine-action.ts'
import { saveTextFile, simulationState, loadTextFile } from './state-file.ts'

/** Pulled images, one per line. */
const pulledFile = `${simulationState}/images`
/** Set by tests and users: images that cannot be pulled, one per line, and the number of free bytes. */
const failingFile = `${simulationState}/failing-images`
const freeBytesFile = `${simulationState}/image-room`

const gibibyte = 1024 ** 3
const defaultFreeBytes = 100 * gibibyte
const layerBytes = gibibyte / 8

/** Images of a machine that runs no containers: pulls are recorded in a file, and images are pinned as on CRI-O. */
export class SimulatedImages implements HostImages {
  readonly #files: HostFiles
  readonly #pins: CrioPins
  readonly #record: RecordAction
  readonly #changes = new SerialQueue()

  constructor(files: HostFiles, units: Pick<HostUnits, 'reload'>, record: RecordAction) {
    this.#files = files
    this.#pins = new CrioPins(files, units)
    this.#record = record
  }

  async runtime(): Promise<ContainerRuntime> {
    return 'crio'
  }

  async present(images: readonly string[], signal?: AbortSignal): Promise<Set<string>> {
    signal?.throwIfAborted()
    const there = new Set(await this.#lines(pulledFile))
    return new Set(images.map(requireImageByDigest).filter((image) => there.has(image)))
  }

  async freeBytes(): Promise<number> {
    return Number((await loadTextFile(this.#files, freeBytesFile)) ?? defaultFreeBytes)
  }

  async layers(image: string): Promise<ReadonlyMap<string, number>> {
    return new Map([[digestOf(requireImageByDigest(image)), layerBytes]])
  }

  async pull(image: string, signal: AbortSignal): Promise<void> {
    requireImageByDigest(image)
    signal.throwIfAborted()
    if ((await this.#lines(failingFile)).includes(image)) {
      throw new HostFailure(`pulling ${image} failed: manifest unknown`, 'exit 1')
    }
    await this.#change(async (there) => {
      if (there.includes(image)) return there
      await this.#record({ type: 'pull', image })
      return [...there, image]
    })
  }

  hasPins(images: readonly string[]): Promise<boolean> {
    return this.#pins.hasPins(images)
  }

  setPins(images: readonly string[]): Promise<void> {
    return this.#pins.setPins(images)
  }

  /** Removes an image, as `crictl rmi` would. */
  async remove(image: string): Promise<void> {
    await this.#change(async (there) => there.filter((each) => each !== image))
  }

  /** Sets whether this image can be pulled. */
  async setPullable(image: string, pullable: boolean): Promise<void> {
    const others = (await this.#lines(failingFile)).filter((each) => each !== image)
    await saveTextFile(this.#files, failingFile, text(pullable ? others : [...others, image]))
  }

  async setFreeBytes(bytes: number): Promise<void> {
    await saveTextFile(this.#files, freeBytesFile, String(bytes))
  }

  #change(to: (there: readonly string[]) => Promise<readonly string[]>): Promise<void> {
    return this.#changes.run(async () => {
      await saveTextFile(this.#files, pulledFile, text(await to(await this.#lines(pulledFile))))
    })
  }

  async #lines(path: string): Promise<string[]> {
    return ((await loadTextFile(this.#files, path)) ?? '').split('\n').filter((line) => line !== '')
  }
}

const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')
