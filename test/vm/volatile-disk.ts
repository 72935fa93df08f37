import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import type { Random } from '@machinist/core/random'
import { between } from '@machinist/core/random'

/** The unit that a disk writes atomically. With 512 bytes, a file system was damaged beyond repair by its journal. */
export const sectorBytes = 4096
/** The size of the disk cache; when it is full, the disk writes data back by itself. */
const cacheSectors = (64 * 1024 * 1024) / sectorBytes

/**
 * A disk with a volatile cache: written data is in its cache first, and is on the medium (a file) for sure only after
 * a flush. When the power is cut, any part of the unflushed data may be on the medium, in any order.
 */
export class VolatileDisk {
  readonly size: number
  readonly #file: FileHandle
  readonly #cache = new Map<number, Buffer>()
  #cut: { flushesLeft: number; readonly random: Random; readonly done: () => void } | undefined
  #isOn = true
  #flushes = 0

  private constructor(file: FileHandle, size: number) {
    this.#file = file
    this.size = size
  }

  static async open(path: string): Promise<VolatileDisk> {
    const file = await open(path, 'r+')
    return new VolatileDisk(file, (await file.stat()).size)
  }

  /** The number of flushes. */
  get flushes(): number {
    return this.#flushes
  }

  async read(offset: number, length: number): Promise<Buffer> {
    const found = Buffer.alloc(length)
    await this.#file.read(found, 0, length, offset)
    const first = Math.floor(offset / sectorBytes)
    for (let sector = first; sector * sectorBytes < offset + length; sector++) {
      const at = sector * sectorBytes - offset
      this.#cache.get(sector)?.copy(found, Math.max(at, 0), Math.max(-at, 0))
    }
    return found
  }

  /** Accepts only whole sectors, as real disks do. */
  async write(offset: number, content: Buffer): Promise<void> {
    if (offset % sectorBytes !== 0 || content.length % sectorBytes !== 0) {
      throw new Error(`the write at ${offset} is not a whole sector`)
    }
    const first = offset / sectorBytes
    for (let at = 0; at < content.length; at += sectorBytes) {
      this.#cache.set(first + at / sectorBytes, content.subarray(at, at + sectorBytes))
    }
    if (this.#cache.size > cacheSectors) await this.#keep(() => true)
  }

  /** Returns false if the power was cut before: the disk then never answers. */
  async flush(): Promise<boolean> {
    if (!this.#isOn) return false
    this.#flushes++
    const cut = this.#cut
    if (cut && --cut.flushesLeft === 0) {
      this.#isOn = false
      await this.#powerGoes(cut.random)
      cut.done()
      return false
    }
    await this.#keep(() => true)
    return true
  }

  /** Cuts the power at this flush, counted from now. Resolves when it is cut. */
  cutAtFlush(number: number, random: Random): Promise<void> {
    return new Promise((resolve) => {
      this.#cut = { flushesLeft: number, random, done: resolve }
    })
  }

  /** The share of the unflushed data that survives is random, too. */
  async #powerGoes(random: Random): Promise<void> {
    const percent = between(random, 0, 100)
    await this.#keep(() => between(random, 1, 100) <= percent)
  }

  /** Writes the cache to the medium, unless the power was cut: a disk does that by itself. */
  async powerComes(): Promise<void> {
    await this.#keep(() => true)
    this.#cut = undefined
    this.#isOn = true
  }

  async close(): Promise<void> {
    await this.#file.close()
  }

  async #keep(isKept: (sector: number) => boolean): Promise<void> {
    const sectors = [...this.#cache.keys()].sort((a, b) => a - b).filter(isKept)
    for (let from = 0; from < sectors.length;) {
      let to = from + 1
      while (sectors[to] === sectors[to - 1]! + 1) to++
      const run = sectors.slice(from, to).map((sector) => this.#cache.get(sector)!)
      const content = Buffer.concat(run)
      await this.#file.write(content, 0, content.length, sectors[from]! * sectorBytes)
      from = to
    }
    this.#cache.clear()
  }
}
