import type { MachineConfig } from '../../api/resources.ts'
import { sameJson } from '@machinist/core/json'

/**
 * What the templates of a role come to while another controller's MachineConfigs are in their place. Nothing of it is in the
 * API; render tells from it what an adoption would do. The template controller fills it in each term of leadership.
 */
export class WithheldTemplates {
  readonly #roles = new Map<string, readonly MachineConfig[]>()
  readonly #listeners = new Set<() => void>()

  /** `undefined`: nothing of the role is withheld. */
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
