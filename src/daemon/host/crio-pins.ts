import { nodePaths } from '../../api/node-paths.ts'
import type { HostFiles, HostUnits } from './host.ts'
import { parentOf } from './paths.ts'

const unit = 'crio.service'
const usual = { mode: 0o755, uid: 0, gid: 0 }
const mostBytes = 16 * 1024 * 1024

/** Images that CRI-O keeps because a drop-in of ours says so. */
export class CrioPins {
  readonly #files: HostFiles
  readonly #units: Pick<HostUnits, 'reload'>

  constructor(files: HostFiles, units: Pick<HostUnits, 'reload'>) {
    this.#files = files
    this.#units = units
  }

  async keeps(images: readonly string[]): Promise<boolean> {
    const path = nodePaths.pinnedImages
    const there = await this.#files.look(path)
    if (!there || images.length === 0) return !there && images.length === 0
    if (there.type !== 'file' || there.mode !== 0o644) return false
    const content = await this.#files.read(path, mostBytes)
    return Buffer.from(content).equals(Buffer.from(pinsText(images)))
  }

  /** Reloads also where the file is as it should be: nobody knows whether CRI-O has seen it. */
  async keep(images: readonly string[]): Promise<void> {
    const path = nodePaths.pinnedImages
    if (images.length === 0) await this.#files.remove(path)
    else {
      await this.#makeDirectory(parentOf(path))
      const content = Buffer.from(pinsText(images))
      await this.#files.write(path, { content, mode: 0o644, uid: 0, gid: 0 })
    }
    await this.#units.reload(unit)
  }

  async #makeDirectory(path: string): Promise<void> {
    if (path === '/') return
    await this.#makeDirectory(parentOf(path))
    await this.#files.makeDirectory(path, usual)
  }
}

/** Byte for byte what the original writes, so that neither of the two reloads CRI-O after the other. */
function pinsText(images: readonly string[]): string {
  const list = images.map((image) => JSON.stringify(image)).join(', ')
  return `[crio]\n  [crio.image]\n    pinned_images = [${list}]\n`
}
