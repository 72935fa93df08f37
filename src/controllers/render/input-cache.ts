import type { MachineConfig } from '../../api/resources.ts'
import { sameJson } from '@machinist/core/json'
import type { RenderInput } from '../../fleet/render/read-input.ts'
import { readInput } from '../../fleet/render/read-input.ts'

interface Entry {
  readonly machineConfig: MachineConfig
  readonly input: RenderInput
}

/**
 * Inputs that have been read, by name and content: one changed MachineConfig means that one is read anew. What comes out
 * for the same content is the very same object, so that whoever uses it can tell cheaply that nothing changed.
 */
export class InputCache {
  readonly #entries = new Map<string, Entry>()
  readonly #read: (machineConfig: MachineConfig) => RenderInput

  constructor(read: (machineConfig: MachineConfig) => RenderInput = readInput) {
    this.#read = read
  }

  get(machineConfig: MachineConfig): RenderInput {
    const { name } = machineConfig.metadata
    const known = this.#entries.get(name)
    if (known?.machineConfig === machineConfig) return known.input
    const input = known && isSame(known.machineConfig, machineConfig) ? known.input : undefined
    const entry = { machineConfig, input: input ?? this.#read(machineConfig) }
    this.#entries.set(name, entry)
    return entry.input
  }

  forget(name: string): void {
    this.#entries.delete(name)
  }

  get size(): number {
    return this.#entries.size
  }
}

/** Comparing costs a fraction of reading, and nothing at all for what did not change: those are the same texts. */
function isSame(a: MachineConfig, b: MachineConfig): boolean {
  return sameJson(a.metadata.annotations, b.metadata.annotations) && sameJson(a.spec, b.spec)
}
