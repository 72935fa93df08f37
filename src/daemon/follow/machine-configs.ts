import { withoutManagedFields } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { isNotFound } from '@machinist/kube/failure'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { machineConfigs } from '../../api/kinds/resources.ts'

/** Reads MachineConfigs by name. A rendered config never changes under its name, so the last one is cached. */
export class MachineConfigs {
  readonly #client: KubeClient
  #last: MachineConfig | undefined

  constructor(client: KubeClient) {
    this.#client = client
  }

  async get(name: string, signal: AbortSignal): Promise<MachineConfig | 'missing'> {
    if (this.#last?.metadata.name === name) return this.#last
    try {
      const config = await this.#client.get(machineConfigs, { name }, { signal })
      this.#last = withoutManagedFields(config)
      return this.#last
    } catch (error) {
      if (isNotFound(error)) return 'missing'
      throw error
    }
  }

  /** Drops the cached config: configs are large, and a node that is Done needs none. */
  forget(): void {
    this.#last = undefined
  }
}
