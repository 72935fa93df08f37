import { InvalidInput } from '@machinist/core/errors'
import type { FolderReader } from '@machinist/core/files'
import type {
  ControllerConfig,
  MachineConfig,
  MachineConfigPool,
} from '../../api/kinds/resources.ts'
import {
  bootstrapFolders,
  controllerConfigFile,
  machineConfigFile,
  objectNameOf,
  poolFile,
} from '../../fleet/bootstrap/layout.ts'
import type { BootstrapDirectory, DirectoryProblem } from './bootstrap-directory.ts'
import { describeReadError, ParsedFile } from './parsed-file.ts'
import { parseControllerConfig, parseMachineConfig, parsePool } from './parse-objects.ts'

export interface DirectoryOptions {
  readonly directory: string
  /** The path of a kubeconfig that is served as it is. */
  readonly kubeconfig?: string
  readonly files: FolderReader
}

/** Reads a bootstrap directory again and again. Files are independent: a bad one affects no other pool. */
export class DirectoryReader {
  readonly #options: DirectoryOptions
  readonly #pools = new Map<string, ParsedFile<MachineConfigPool>>()
  readonly #configs = new Map<string, ParsedFile<MachineConfig>>()
  readonly #controllerConfig: ParsedFile<ControllerConfig>
  readonly #kubeconfig: ParsedFile<string> | undefined
  /** Pools and their configs that were complete. */
  #served = new Map<string, ServedPool>()
  #problems: DirectoryProblem[] = []

  constructor(options: DirectoryOptions) {
    const { directory, kubeconfig } = options
    this.#options = options
    this.#controllerConfig = new ParsedFile(
      `${directory}/${controllerConfigFile}`,
      parseControllerConfig,
    )
    this.#kubeconfig = kubeconfig === undefined ? undefined : new ParsedFile(kubeconfig, notEmpty)
  }

  /** Never rejects: what cannot be read is a problem in the result. */
  async read(): Promise<BootstrapDirectory> {
    this.#problems = []
    const names = await this.#poolNames()
    const served = new Map<string, ServedPool>()
    for (const name of names ?? this.#served.keys()) {
      const pool = names ? await this.#pool(name) : this.#served.get(name)
      if (pool) served.set(name, pool)
    }
    this.#served = served
    this.#forgetUnused()
    const { files, directory, kubeconfig: kubeconfigPath = '' } = this.#options
    const controllerConfig = this.#valueOf(
      `${directory}/${controllerConfigFile}`,
      await this.#controllerConfig.read(files),
    )
    const kubeconfig =
      this.#kubeconfig && this.#valueOf(kubeconfigPath, await this.#kubeconfig.read(files))
    return {
      pools: new Map([...served].map(([name, { pool }]) => [name, pool])),
      machineConfigs: new Map(
        [...served.values()].flatMap(({ config }) =>
          config ? [[config.metadata.name, config] as const] : [],
        ),
      ),
      controllerConfig,
      ...(kubeconfig !== undefined && { kubeconfig }),
      problems: this.#problems,
    }
  }

  /** Undefined if the folder cannot be read: while the directory is replaced, it is missing for a moment. */
  async #poolNames(): Promise<readonly string[] | undefined> {
    const path = `${this.#options.directory}/${bootstrapFolders.pools}`
    try {
      const found = await this.#options.files.list(path)
      return found
        .filter((file) => !file.startsWith('.'))
        .flatMap((file) => objectNameOf(file) ?? [])
        .toSorted()
    } catch (error) {
      this.#problems.push({ path, message: describeReadError(error) })
      return undefined
    }
  }

  /** A pool with its config. If either cannot be used, the last complete pair, or the pool alone, so that machines wait for it. */
  async #pool(name: string): Promise<ServedPool | undefined> {
    const { directory, files } = this.#options
    const before = this.#served.get(name)
    const path = `${directory}/${poolFile(name)}`
    const pool = this.#valueOf(
      path,
      await fileOf(this.#pools, path, (text) => parsePool(text, name)).read(files),
      name,
    )
    const configName = pool?.status?.configuration?.name
    if (!pool || configName === undefined) return before
    const configPath = `${directory}/${machineConfigFile(configName)}`
    const config = this.#valueOf(
      configPath,
      await fileOf(this.#configs, configPath, (text) => parseMachineConfig(text, configName)).read(
        files,
      ),
      name,
    )
    if (config) return before?.pool === pool && before.config === config ? before : { pool, config }
    return before?.config ? before : { pool }
  }

  /** The usable value; a problem is added to the result. */
  #valueOf<T>(
    path: string,
    { value, problem }: { readonly value?: T; readonly problem?: string },
    pool?: string,
  ): T | undefined {
    if (problem !== undefined) {
      this.#problems.push({ path, message: problem, ...(pool !== undefined && { pool }) })
    }
    return value
  }

  /** Configs of former pools and former outputs would stay in memory. */
  #forgetUnused(): void {
    const { directory } = this.#options
    const used = new Set(
      [...this.#served].flatMap(([name, { pool }]) => [
        `${directory}/${poolFile(name)}`,
        `${directory}/${machineConfigFile(pool.status?.configuration?.name ?? '')}`,
      ]),
    )
    for (const files of [this.#pools, this.#configs] as Map<string, unknown>[]) {
      for (const path of files.keys()) if (!used.has(path)) files.delete(path)
    }
  }
}

interface ServedPool {
  readonly pool: MachineConfigPool
  /** Undefined if it cannot be read, and never could. */
  readonly config?: MachineConfig
}

function fileOf<T>(
  known: Map<string, ParsedFile<T>>,
  path: string,
  parse: (text: string) => T,
): ParsedFile<T> {
  const file = known.get(path) ?? new ParsedFile(path, parse)
  known.set(path, file)
  return file
}

function notEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidInput('it is empty')
  return text
}
