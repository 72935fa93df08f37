import { sha256Hex } from '@machinist/core/encoding/digest'
import type { HostFiles, HostPower } from '../host.ts'
import type { RecordAction } from './machine-action.ts'
import { saveTextFile, simulationState, loadTextFile } from './state-file.ts'

/** Exists while a reboot is requested; holds the reason. */
const rebootFile = `${simulationState}/reboot`

export const bootIdPath = '/proc/sys/kernel/random/boot_id'

/** Reboots of a machine that exists only as files. */
export class SimulatedPower implements HostPower {
  readonly #files: HostFiles
  readonly #record: RecordAction
  /** Different for every machine, and possibly at every boot. */
  readonly #salt: () => string
  #down = Promise.withResolvers<string>()

  constructor(files: HostFiles, record: RecordAction, salt: () => string) {
    this.#files = files
    this.#record = record
    this.#salt = salt
  }

  async bootId(): Promise<string> {
    return ((await loadTextFile(this.#files, bootIdPath)) ?? '').trim()
  }

  async reboot(reason: string): Promise<void> {
    await this.#record({ type: 'reboot', reason })
    await saveTextFile(this.#files, rebootFile, reason)
    this.#down.resolve(reason)
  }

  /** Resolves with the reason when the machine goes down: its daemon must stop. */
  get down(): Promise<string> {
    return this.#down.promise
  }

  async isDown(): Promise<boolean> {
    return (await this.#files.stat(rebootFile)) !== undefined
  }

  async boot(): Promise<void> {
    const bootId = nextBootId(await this.bootId(), this.#salt())
    await saveTextFile(this.#files, bootIdPath, `${bootId}\n`)
    await this.#record({ type: 'boot', bootId })
    await this.#files.remove(rebootFile)
    this.#down = Promise.withResolvers()
  }
}

/** In the format of the kernel. */
export function nextBootId(before: string, salt: string): string {
  const hex = sha256Hex(`${before}\n${salt}`)
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
  ]
  return [...parts, hex.slice(20, 32)].join('-')
}
