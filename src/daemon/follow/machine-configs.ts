import type { MachineConfig } from '../../api/resources.ts'
import { machineConfigs } from '../../api/resources.ts'
import { withoutManagedFields } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import { isNotFound } from '@machinist/kube/failure'

/** MachineConfigs by name. One that was rendered never changes under its name, so the last one is remembered. */
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

  /** Configs are large, and a node that is in order needs none. */
  forget(): void {
    this.#last = undefined
  }
}
