import { nodePaths } from '../../api/node-paths.ts'
import type { HostFiles, HostUnits } from './host.ts'
import { parentOf } from './paths.ts'

const unit = 'crio.service'
const defaultDirectory = { mode: 0o755, uid: 0, gid: 0 }
const maxBytes = 16 * 1024 * 1024

/** Images that CRI-O pins because of a drop-in. */
export class CrioPins {
  readonly #files: HostFiles
  readonly #units: Pick<HostUnits, 'reload'>

  constructor(files: HostFiles, units: Pick<HostUnits, 'reload'>) {
    this.#files = files
    this.#units = units
  }

  async hasPins(images: readonly string[]): Promise<boolean> {
    const path = nodePaths.pinnedImages
    const entry = await this.#files.stat(path)
    if (!entry || images.length === 0) return !entry && images.length === 0
    if (entry.type !== 'file' || entry.mode !== 0o644) return false
    const content = await this.#files.read(path, maxBytes)
    return Buffer.from(content).equals(Buffer.from(pinsText(images)))
  }

  /** Reloads CRI-O even if the file is up to date: CRI-O may not have read it yet. */
  async setPins(images: readonly string[]): Promise<void> {
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
    await this.#files.makeDirectory(path, defaultDirectory)
  }
}

/** Byte for byte what MCO writes, so that neither of the two reloads CRI-O because of the other. */
function pinsText(images: readonly string[]): string {
  const list = images.map((image) => JSON.stringify(image)).join(', ')
  return `[crio]\n  [crio.image]\n    pinned_images = [${list}]\n`
}
