import type { Random } from '@machinist/core/random'
import { nodePaths, unitPath } from '../../src/api/node-paths.ts'
import type { Host } from '../../src/daemon/host/host.ts'
import { HostFailure } from '../../src/daemon/host/host-failure.ts'
import { MemoryHost } from '../../src/daemon/host/memory/memory-host.ts'
import type { Process } from './process.ts'
import { never } from './process.ts'
import type { FileState, MachineState } from './settings.ts'
import { crioPath, managedPaths, originals, simUnit } from './settings.ts'

/** Errors of a machine's disk. */
export type DiskError = 'ENOSPC' | 'EIO'

export interface MachineWitness {
  /** The state of a watched file after an operation of the daemon. */
  fileSeen(path: string, state: FileState | undefined): void
  /** The daemon requested a reboot. */
  goesDown(): void
  /** The daemon restarted a service. */
  restarted?(unit: string): void
  /** Whether a service is healthy; called in addition to the machine's own check. */
  isHealthy?(unit: string): boolean
}

const enabledLink = `${nodePaths.units}/multi-user.target.wants/${simUnit}`
const configPaths: ReadonlySet<string> = new Set([...managedPaths, unitPath(simUnit), enabledLink])

/**
 * One machine: its disk, units and boots in memory, and the files that its services have loaded. A daemon uses it through a host whose
 * operations take time, fail with disk errors, and never return to a killed process.
 */
export class Machine {
  readonly #host: MemoryHost
  readonly #random: Random
  readonly #witness: MachineWitness
  readonly #seen = new Map<string, FileState>()
  readonly #originals = new Map(originals)
  readonly #watched: ReadonlySet<string>
  diskError: DiskError | undefined
  #kernelArguments: readonly string[] = []
  /** The file content that the container runtime read last. */
  #loaded: string | undefined

  /** Watches the files that configs manage by default. */
  constructor(name: string, random: Random, witness: MachineWitness, watched = configPaths) {
    this.#host = new MemoryHost({ name })
    this.#watched = watched
    this.#random = random
    this.#witness = witness
    for (const [path, { content, mode }] of originals) this.plant(path, content, mode)
  }

  /** A file that the installation wrote: it has no original to restore. */
  install(path: string, content: string, mode: number): void {
    this.#originals.delete(path)
    this.plant(path, content, mode)
  }

  plant(path: string, content: string, mode: number): void {
    this.#host.files.seed(path, { content: Buffer.from(content), mode, uid: 0, gid: 0 })
    if (this.#watched.has(path)) this.#seen.set(path, { content, mode })
  }

  async boot(): Promise<void> {
    await this.#host.boot()
    await this.look()
    this.#loaded = this.#seen.get(crioPath)?.content
  }

  /** The current state of everything that configs manage. */
  state(): MachineState {
    return {
      files: new Map([...this.#seen].filter(([path]) => managedPaths.has(path))),
      originals: this.#originals,
      unit: this.#seen.get(unitPath(simUnit))?.content,
      isEnabled: this.#seen.has(enabledLink),
      kernelArguments: this.#kernelArguments.filter((word) => word.startsWith('sim')),
      loaded: this.#loaded,
    }
  }

  /** The content of a watched file; undefined if it does not exist. */
  text(path: string): string | undefined {
    return this.#seen.get(path)?.content
  }

  async hasJournal(): Promise<boolean> {
    return (await this.#host.files.list(nodePaths.journal)).length > 0
  }

  async enableUnit(): Promise<void> {
    await this.#host.units.enable([simUnit])
  }

  async look(): Promise<void> {
    for (const path of this.#watched) await this.#refresh(path)
    this.#kernelArguments = (await this.#host.os.state()).booted.kernelArguments
  }

  async setKernelArguments(more: readonly string[]): Promise<void> {
    const { booted } = await this.#host.os.state()
    const kernelArguments = [...booted.kernelArguments, ...more]
    await this.#host.os.stage({ ...booted, kernelArguments })
  }

  /** The host for a process on this machine. `step` is called before and after each operation; it may kill the process. */
  hostFor(process: Process, step: (operation: string) => void): Host {
    const part = <P extends keyof Host>(name: P): Host[P] =>
      wrapped(this.#host[name], async (call, args, work) => {
        const about = typeof args[0] === 'string' ? args[0] : ''
        const operation = `${name}.${call} ${about}`
        if (!process.isAlive) return never()
        step(operation)
        if (!process.isAlive) return never()
        const isChange = changing.has(call)
        if (isChange && this.#random.next() < 0.25) await delay(process, 10)
        if (isChange && name === 'files') this.#mayFail(operation)
        const result = await this.#done(name, call, args, work)
        step(operation)
        return process.isAlive ? result : never()
      })
    const units = part('units')
    return {
      files: part('files'),
      units: wrapped(units, async (call, args, work) =>
        call === 'isHealthy' && this.#isUnhealthy(String(args[0])) ? false : work(),
      ),
      accounts: part('accounts'),
      os: part('os'),
      power: part('power'),
      images: part('images'),
    }
  }

  async #done(
    part: keyof Host,
    call: string,
    args: readonly unknown[],
    work: () => Promise<unknown>,
  ): Promise<unknown> {
    const result = await work()
    const isFiles = part === 'files' && changing.has(call)
    const paths = isFiles ? [args[0], args[1]] : part === 'units' ? [enabledLink] : []
    for (const path of paths) {
      if (typeof path !== 'string' || !this.#watched.has(path)) continue
      await this.#refresh(path)
      this.#witness.fileSeen(path, this.#seen.get(path))
    }
    if (part === 'units' && (call === 'reload' || call === 'restart')) {
      if (args[0] === 'crio.service') this.#loaded = this.#seen.get(crioPath)?.content
      if (call === 'restart') this.#witness.restarted?.(String(args[0]))
    }
    if (part === 'power' && call === 'reboot') this.#witness.goesDown()
    return result
  }

  #isUnhealthy(unit: string): boolean {
    if (unit === 'crio.service' && this.#loaded?.startsWith('bad')) return true
    return this.#witness.isHealthy?.(unit) === false
  }

  #mayFail(operation: string): void {
    if (this.diskError === undefined || this.#random.next() < 0.3) return
    throw new HostFailure(`${operation}: ${this.diskError} (simulated)`, this.diskError)
  }

  async #refresh(path: string): Promise<void> {
    const { files } = this.#host
    const entry = await files.stat(path)
    if (entry === undefined) this.#seen.delete(path)
    else if (entry.type === 'file') {
      const content = Buffer.from(await files.read(path)).toString()
      this.#seen.set(path, { content, mode: entry.mode })
    } else this.#seen.set(path, { content: entry.type, mode: 0 })
  }
}

const changing: ReadonlySet<string> = new Set([
  'write',
  'append',
  'link',
  'remove',
  'move',
  'makeDirectory',
  'removeDirectory',
  'change',
  'enable',
  'disable',
  'preset',
  'daemonReload',
  'reload',
  'restart',
  'stage',
  'reboot',
])

const delay = (process: Process, ms: number): Promise<void> =>
  new Promise((resolve) => void process.after(ms, resolve))

type Around = (
  call: string,
  args: readonly unknown[],
  work: () => Promise<unknown>,
) => Promise<unknown>

/** Wraps each asynchronous method of an object. */
function wrapped<T extends object>(inner: T, around: Around): T {
  return new Proxy(inner, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target)
      if (typeof member !== 'function') return member
      if (typeof key !== 'string' || key === 'watch') return member.bind(target)
      return (...args: unknown[]) =>
        around(key, args, () => Reflect.apply(member, target, args) as Promise<unknown>)
    },
  })
}
