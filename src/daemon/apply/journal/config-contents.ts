import { InvalidInput } from '@machinist/core/errors'
import type { Config, File, Unit } from '@machinist/ignition/spec/config'
import { inlineContent } from '@machinist/ignition/content'
import type { MachineConfig } from '../../../api/kinds/resources.ts'
import { dropinPath, nodePaths, unitPath } from '../../../api/node-paths.ts'
import { readConfig } from '../../../planner/differences/read-config.ts'
import { authorizedKeysText } from '../../verify/ssh-keys.ts'
import type { ConfigSource } from '../intent.ts'

/** The files, units and users of a config, by name. */
export class ConfigContents {
  readonly #machineConfig: MachineConfig
  readonly #config: Config
  readonly #files: ReadonlyMap<string, File>
  readonly #units: ReadonlyMap<string, Unit>

  constructor(machineConfig: MachineConfig) {
    this.#machineConfig = machineConfig
    this.#config = parseMachineConfig(machineConfig)
    this.#files = new Map(this.#config.storage?.files?.map((file) => [file.path, file]))
    this.#units = new Map(this.#config.systemd?.units?.map((unit) => [unit.name, unit]))
  }

  file(path: string): File {
    return this.#require(this.#files.get(path), `file ${path}`)
  }

  /** Every path that the config writes, and where its content is, unless it is a link. */
  paths(): ReadonlyMap<string, ConfigSource | undefined> {
    const paths = new Map<string, ConfigSource | undefined>([
      [nodePaths.currentConfig, { from: 'config' }],
    ])
    for (const path of this.#files.keys()) paths.set(path, { from: 'file', path })
    for (const { name: unit, contents, mask, dropins = [] } of this.#units.values()) {
      if (mask) paths.set(unitPath(unit), undefined)
      else if (contents) paths.set(unitPath(unit), { from: 'unit', unit })
      for (const { name: dropin, contents: text } of dropins) {
        if (text) paths.set(dropinPath(unit, dropin), { from: 'dropin', unit, dropin })
      }
    }
    return paths
  }

  passwordHash(user: string): string | undefined {
    return this.#config.passwd?.users?.find(({ name }) => name === user)?.passwordHash
  }

  content(source: ConfigSource): Uint8Array {
    switch (source.from) {
      case 'file':
        return inlineContent(this.file(source.path).contents)
      case 'unit':
        return Buffer.from(this.#unit(source.unit).contents ?? '')
      case 'dropin': {
        const { unit, dropin } = source
        const found = this.#unit(unit).dropins?.find(({ name }) => name === dropin)
        return Buffer.from(this.#require(found, `drop-in ${unit}/${dropin}`).contents ?? '')
      }
      case 'keys':
        return Buffer.from(authorizedKeysText(this.#config))
      case 'config':
        return Buffer.from(JSON.stringify(this.#machineConfig))
    }
  }

  #unit(name: string): Unit {
    return this.#require(this.#units.get(name), `unit ${name}`)
  }

  #require<T>(value: T | undefined, what: string): T {
    if (value !== undefined) return value
    const { name } = this.#machineConfig.metadata
    throw new InvalidInput(`the plan refers to the ${what}, which ${name} does not contain`)
  }
}

/** The planner has parsed the config before, so a problem means that its copy on disk was changed. */
function parseMachineConfig(machineConfig: MachineConfig): Config {
  const { config, problems } = readConfig(machineConfig, 'new')
  if (problems.length > 0) throw new InvalidInput(problems.join('; '))
  return config.ignition
}
