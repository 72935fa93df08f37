import { sha256Hex } from '@machinist/core/digest'
import type { HostFiles, HostPower } from '../host.ts'
import type { NoteAction } from './machine-action.ts'
import { putText, simulationState, textAt } from './state-file.ts'

/** There while the machine goes down; holds the reason. */
const rebootAsked = `${simulationState}/reboot`

export const bootIdPath = '/proc/sys/kernel/random/boot_id'

/** Going down and up again, of a machine that exists only as files. */
export class SimulatedPower implements HostPower {
  readonly #files: HostFiles
  readonly #note: NoteAction
  /** Something that is different for every machine, and may be at every boot. */
  readonly #salt: () => string
  #down = Promise.withResolvers<string>()

  constructor(files: HostFiles, note: NoteAction, salt: () => string) {
    this.#files = files
    this.#note = note
    this.#salt = salt
  }

  async bootId(): Promise<string> {
    return ((await textAt(this.#files, bootIdPath)) ?? '').trim()
  }

  async reboot(reason: string): Promise<void> {
    await this.#note({ do: 'reboot', reason })
    await putText(this.#files, rebootAsked, reason)
    this.#down.resolve(reason)
  }

  /** Resolves with the reason when the machine goes down: nothing that runs on it may go on. */
  get down(): Promise<string> {
    return this.#down.promise
  }

  async isDown(): Promise<boolean> {
    return (await this.#files.look(rebootAsked)) !== undefined
  }

  async boot(): Promise<void> {
    const bootId = nextBootId(await this.bootId(), this.#salt())
    await putText(this.#files, bootIdPath, `${bootId}\n`)
    await this.#note({ do: 'boot', bootId })
    await this.#files.remove(rebootAsked)
    this.#down = Promise.withResolvers()
  }
}

/** Looks like the kernel's. */
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
