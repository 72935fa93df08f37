import type { Cancel, Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import { InvalidInput } from '@machinist/core/errors'
import { sameJson } from '@machinist/core/encoding/json'
import type { Logger } from '@machinist/core/log'
import type { BootstrapDirectory, DirectoryProblem } from './bootstrap-directory.ts'

export interface FollowOptions {
  readonly reader: { read(): Promise<BootstrapDirectory> }
  readonly clock: Clock
  readonly log: Logger
  /** How often the files are compared with the last reading; two seconds by default. */
  readonly intervalMs?: number
}

/** The current content of a bootstrap directory: its files are read again at an interval, and parsed when their text changes. */
export class FollowedDirectory {
  readonly #options: FollowOptions
  readonly #subscribers = new Set<() => void>()
  #current: BootstrapDirectory | undefined
  #readAt = 0

  constructor(options: FollowOptions) {
    this.#options = options
  }

  /** Undefined until the first reading. The same object until something changes. */
  current(): BootstrapDirectory | undefined {
    return this.#current
  }

  /** When the directory was last read. */
  get readAt(): number {
    return this.#readAt
  }

  subscribe(changed: () => void): Cancel {
    this.#subscribers.add(changed)
    return () => void this.#subscribers.delete(changed)
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, intervalMs = 2000 } = this.#options
    while (!signal.aborted) {
      await this.#read()
      await sleep(clock, intervalMs, signal)
    }
  }

  async #read(): Promise<void> {
    const { reader, clock } = this.#options
    const next = await reader.read()
    this.#readAt = clock.now()
    this.#logNew(next.problems)
    if (this.#current && isSame(this.#current, next)) return
    this.#current = next
    for (const changed of this.#subscribers) changed()
  }

  /** Each problem once, until the file is valid or has another problem. */
  #logNew(problems: readonly DirectoryProblem[]): void {
    const before = this.#current?.problems ?? []
    for (const problem of problems) {
      if (before.some((one) => sameJson(one, problem))) continue
      const { path, message, pool } = problem
      this.#options.log.error(
        'cannot use a file of the bootstrap directory',
        new InvalidInput(`${path}: ${message}`),
        { ...(pool !== undefined && { pool }) },
      )
    }
  }
}

/** Objects are compared by identity: the reader keeps those whose text did not change. */
function isSame(a: BootstrapDirectory, b: BootstrapDirectory): boolean {
  return (
    a.controllerConfig === b.controllerConfig &&
    a.kubeconfig === b.kubeconfig &&
    isSameMap(a.pools, b.pools) &&
    isSameMap(a.machineConfigs, b.machineConfigs) &&
    sameJson(a.problems, b.problems)
  )
}

const isSameMap = <T>(a: ReadonlyMap<string, T>, b: ReadonlyMap<string, T>): boolean =>
  a.size === b.size && [...a].every(([key, value]) => b.get(key) === value)
