import type { Logger } from '@machinist/core/log'
import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound } from '@machinist/kube/failure'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { machineConfigs } from '../../api/kinds/resources.ts'

/** Rendered MachineConfigs by name. The name is a digest of the content, so a config never changes and is read once. */
export class RenderedConfigs {
  readonly #client: Pick<KubeClient, 'get'>
  readonly #log: Logger
  #configs: ReadonlyMap<string, Readonly<MachineConfig>> = new Map()

  constructor(client: Pick<KubeClient, 'get'>, log: Logger) {
    this.#client = client
    this.#log = log
  }

  /** The known configs. The same object as before if they did not change. */
  get known(): ReadonlyMap<string, Readonly<MachineConfig>> {
    return this.#configs
  }

  /** Reads the configs that are not known. Returns the names of those that do not exist or cannot be read. */
  async read(names: ReadonlySet<string>, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const failed = new Set<string>()
    const found = new Map<string, Readonly<MachineConfig>>()
    for (const name of names) {
      if (this.#configs.has(name)) continue
      const config = await this.#get(name, signal)
      if (config) found.set(name, config)
      else failed.add(name)
    }
    if (found.size > 0) this.#configs = new Map([...this.#configs, ...found])
    return failed
  }

  /** Drops all other configs. */
  keep(names: ReadonlySet<string>): void {
    const kept = [...this.#configs].filter(([name]) => names.has(name))
    if (kept.length < this.#configs.size) this.#configs = new Map(kept)
  }

  async #get(name: string, signal: AbortSignal): Promise<MachineConfig | undefined> {
    try {
      const config = await ignoreNotFound(this.#client.get(machineConfigs, { name }, { signal }))
      if (!config) this.#log.info('rendered config does not exist', { config: name })
      return config
    } catch (error) {
      if (!signal.aborted) this.#log.error('cannot read a rendered config', error, { config: name })
      return undefined
    }
  }
}
