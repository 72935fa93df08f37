import { sameJson } from '@machinist/core/encoding/json'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import type { RenderInput } from '../../fleet/render/read-input.ts'
import { readInput } from '../../fleet/render/read-input.ts'

interface CachedInput {
  readonly machineConfig: MachineConfig
  readonly input: RenderInput
}

/**
 * Parsed inputs by name and content, so that only changed MachineConfigs are parsed again. The same content gives the same
 * object, so that callers can compare by identity.
 */
export class InputCache {
  readonly #entries = new Map<string, CachedInput>()
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

/** A comparison is much cheaper than parsing. */
function isSame(a: MachineConfig, b: MachineConfig): boolean {
  return sameJson(a.metadata.annotations, b.metadata.annotations) && sameJson(a.spec, b.spec)
}
