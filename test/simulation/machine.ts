import { nodePaths, unitPath } from '../../src/api/node-paths.ts'
import type { Host } from '../../src/daemon/host/host.ts'
import { HostFailure } from '../../src/daemon/host/host-failure.ts'
import { MemoryHost } from '../../src/daemon/host/memory/memory-host.ts'
import type { Random } from '@machinist/core/random'
import type { Process } from './process.ts'
import { never } from './process.ts'
import type { FileState, MachineSays } from './settings.ts'
import { crioPath, managedPaths, originals, simUnit } from './settings.ts'

/** What a machine's disk may do beside working. */
export type DiskTrouble = 'ENOSPC' | 'EIO'

export interface MachineWitness {
  /** A file that is watched is now like this, after an operation of the daemon's. */
  fileSeen(path: string, state: FileState | undefined): void
  /** The daemon asked for a reboot. */
  goesDown(): void
  /** The daemon restarted a service. */
  restarted?(unit: string): void
  /** Whether a service is well, beyond what the machine itself knows. */
  isWell?(unit: string): boolean
}

const enabledLink = `${nodePaths.units}/multi-user.target.wants/${simUnit}`
const configPaths: ReadonlySet<string> = new Set([...managedPaths, unitPath(simUnit), enabledLink])

/**
 * One machine: its disk, units and boots in memory, and what its services have loaded. A daemon sees it through a host on
 * which operations take time, fail when the disk does, and never return to a process that was killed.
 */
export class Machine {
  readonly #host: MemoryHost
  readonly #random: Random
  readonly #witness: MachineWitness
  readonly #seen = new Map<string, FileState>()
  readonly #originals = new Map(originals)
  readonly #watched: ReadonlySet<string>
  trouble: DiskTrouble | undefined
  #kernelArguments: readonly string[] = []
  /** What the container runtime runs with: the file as it was when it last read it. */
  #loaded: string | undefined

  /** Watches what configs manage, unless told otherwise. */
  constructor(name: string, random: Random, witness: MachineWitness, watched = configPaths) {
    this.#host = new MemoryHost({ name })
    this.#watched = watched
    this.#random = random
    this.#witness = witness
    for (const [path, { content, mode }] of originals) this.plant(path, content, mode)
  }

  /** As the installation leaves it: nobody knows what was there before. */
  install(path: string, content: string, mode: number): void {
    this.#originals.delete(path)
    this.plant(path, content, mode)
  }

  plant(path: string, content: string, mode: number): void {
    this.#host.files.plant(path, { content: Buffer.from(content), mode, uid: 0, gid: 0 })
    if (this.#watched.has(path)) this.#seen.set(path, { content, mode })
  }

  async boot(): Promise<void> {
    await this.#host.boot()
    await this.look()
    this.#loaded = this.#seen.get(crioPath)?.content
  }

  /** Everything that counts for a config, as it is now. */
  says(): MachineSays {
    return {
      files: new Map([...this.#seen].filter(([path]) => managedPaths.has(path))),
      originals: this.#originals,
      unit: this.#seen.get(unitPath(simUnit))?.content,
      isEnabled: this.#seen.has(enabledLink),
      kernelArguments: this.#kernelArguments.filter((word) => word.startsWith('sim')),
      loaded: this.#loaded,
    }
  }

  /** What is in a file that is watched; undefined where there is none. */
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

  /** The host as a process on this machine has it. `step` is called before and after each operation: there it may die. */
  hostFor(process: Process, step: (operation: string) => void): Host {
    const part = <P extends keyof Host>(name: P): Host[P] =>
      wrapped(this.#host[name], async (call, args, work) => {
        const about = typeof args[0] === 'string' ? args[0] : ''
        const operation = `${name}.${call} ${about}`
        if (!process.isAlive) return never()
        step(operation)
        if (!process.isAlive) return never()
        const isChange = changing.has(call)
        if (isChange && this.#random.next() < 0.25) await taking(process, 10)
        if (isChange && name === 'files') this.#mayFail(operation)
        const result = await this.#done(name, call, args, work)
        step(operation)
        return process.isAlive ? result : never()
      })
    const units = part('units')
    return {
      files: part('files'),
      units: wrapped(units, async (call, args, work) =>
        call === 'healthy' && this.#isIll(String(args[0])) ? false : work(),
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

  #isIll(unit: string): boolean {
    if (unit === 'crio.service' && this.#loaded?.startsWith('bad')) return true
    return this.#witness.isWell?.(unit) === false
  }

  #mayFail(operation: string): void {
    if (this.trouble === undefined || this.#random.next() < 0.3) return
    throw new HostFailure(`${operation}: ${this.trouble} (simulated)`, this.trouble)
  }

  async #refresh(path: string): Promise<void> {
    const { files } = this.#host
    const entry = await files.look(path)
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

const taking = (process: Process, ms: number): Promise<void> =>
  new Promise((resolve) => void process.after(ms, resolve))

type Around = (
  call: string,
  args: readonly unknown[],
  work: () => Promise<unknown>,
) => Promise<unknown>

/** The same object with something around each of its methods that gives a promise. */
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
