import { sameJson } from '@machinist/core/encoding/json'
import type { MachineConfig } from '../../api/kinds/resources.ts'

/**
 * The rendered templates of roles whose MachineConfigs another controller generates. They are not stored in the API; the render
 * controller computes from them the plan of an adoption. The template controller fills it after each leader election.
 */
export class WithheldTemplates {
  readonly #roles = new Map<string, readonly MachineConfig[]>()
  readonly #listeners = new Set<() => void>()

  /** `undefined` if the MachineConfigs of the role are stored. */
  set(role: string, configs: readonly MachineConfig[] | undefined): void {
    if (sameJson(this.#roles.get(role), configs)) return
    if (configs) this.#roles.set(role, configs)
    else this.#roles.delete(role)
    for (const changed of this.#listeners) changed()
  }

  of(role: string): readonly MachineConfig[] | undefined {
    return this.#roles.get(role)
  }

  subscribe(changed: () => void): () => void {
    this.#listeners.add(changed)
    return () => void this.#listeners.delete(changed)
  }
}
