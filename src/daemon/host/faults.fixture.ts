import { readlinkSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Disk, OpenFile } from './files/disk.ts'
import { HostFailure } from './host-failure.ts'
import type { Host } from './host.ts'

/**
 * Fault injection for tests: counts every operation of a disk or a host, and injects a fault at one of them.
 *
 *     const faults = new Faults({ at: 17, fail: 'ENOSPC' })            // the 17th fails, once
 *     const faults = new Faults({ at: 17, fail: 'EIO', always: true }) // and everything after it
 *     const faults = new Faults({ at: 17, die: 'before', by: 'kill' }) // kill -9 of this very process
 *     const faults = new Faults({ at: 17, die: 'after', by: 'freeze' }) // nothing ever comes back: await faults.died
 *     const files = new RootedFiles({ disk: faultyDisk(realDisk, faults), root })
 *     const host = faultyHost({ ...sandbox, files }, faults, ['units', 'accounts', 'os', 'power'])
 *
 * After a run without a fault (`new Faults()`), `count` is the number of injection points, and `operations` lists them.
 */
export class Faults {
  readonly #fault: Fault | undefined
  readonly #operations: string[] = []
  readonly #died = Promise.withResolvers<void>()
  readonly #open = new Set<OpenFile>()
  #dead = false

  constructor(fault?: Fault) {
    this.#fault = fault
  }

  get count(): number {
    return this.#operations.length
  }

  /** The operations, in order: `rename /etc/x`, `units.enable a.service`. */
  get operations(): readonly string[] {
    return this.#operations
  }

  /** Resolves when the fault has frozen everything: the disk is in the state that a killed process would leave. */
  get died(): Promise<void> {
    return this.#died.promise
  }

  /** Runs one operation, or injects the fault. `partly` does the part that an interrupted operation has done. */
  async around<T>({ name, error, partly }: Operation, work: () => Promise<T>): Promise<T> {
    if (this.#dead) return never()
    const fault = this.#fault
    if (fault?.only && !fault.only(name)) return work()
    this.#operations.push(name)
    const isDue = fault !== undefined && (fault.at === this.count || isPast(fault, this.count))
    if (!isDue) return this.#unlessDead(work)
    if ('fail' in fault) {
      await partly?.()
      throw error(fault.fail)
    }
    if (fault.die === 'within') await partly?.()
    // Ignore a failure: the process does not see the result.
    if (fault.die === 'after') await work().catch(() => {})
    return this.#die(fault.by ?? 'kill')
  }

  /** The system closes the files of a dead process. */
  opened(file: OpenFile): void {
    if (this.#dead) void file.close()
    else this.#open.add(file)
  }

  closed(file: OpenFile): void {
    this.#open.delete(file)
  }

  /** A frozen process does not see the result of concurrent operations either. */
  async #unlessDead<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } finally {
      if (this.#dead) await never()
    }
  }

  async #die(by: NonNullable<Death['by']>): Promise<never> {
    if (by === 'exit') process.exit(deathCode)
    if (by === 'kill') process.kill(process.pid, 'SIGKILL')
    this.#dead = true
    await Promise.all([...this.#open].map((file) => file.close()))
    this.#died.resolve()
    return never()
  }
}

export type Fault = Failure | Death

interface Point {
  /** The number of the operation, counted from 1. */
  readonly at: number
  /** Which operations are counted; all by default. */
  readonly only?: (operation: string) => boolean
}

export interface Failure extends Point {
  /** `ENOSPC`, `EIO`, …; for units, accounts, os and power also `exit 1` or `timeout`. */
  readonly fail: string
  /** Every later operation fails, too. */
  readonly always?: boolean
}

export interface Death extends Point {
  /** `within` is half-way through a write; for other operations it is `before`. */
  readonly die: 'before' | 'within' | 'after'
  /** kill -9 (the default), process.exit with `deathCode`, or all promises stay pending forever. */
  readonly by?: 'kill' | 'exit' | 'freeze'
}

/** The exit code of a process that a fault has ended. */
export const deathCode = 86

interface Operation {
  readonly name: string
  readonly error: (code: string) => Error
  readonly partly?: () => Promise<unknown>
}

/** Injects faults into every system call. A write that fails has written half of its content. */
export function faultyDisk(disk: Disk, faults: Faults): Disk {
  return wrap(disk, (call, [first, second], work) => {
    const given = String(call === 'symlink' ? second : first)
    const path = readablePath(given)
    const operation = { name: `${call} ${path}`, error: systemError(call, given) }
    if (call !== 'open') return faults.around(operation, work)
    return faults.around(operation, async () =>
      faultyFile((await work()) as OpenFile, path, faults),
    )
  })
}

function faultyFile(file: OpenFile, path: string, faults: Faults): OpenFile {
  faults.opened(file)
  return wrap(file, (call, [content], work) => {
    const operation = { name: `${call} ${path}`, error: systemError(call) }
    // A close that fails still closes the file; otherwise tests run out of descriptors.
    if (call === 'close') {
      const close = (): Promise<unknown> => {
        faults.closed(file)
        return work()
      }
      return faults.around({ ...operation, partly: close }, close)
    }
    if (!(content instanceof Uint8Array)) return faults.around(operation, work)
    const half = content.subarray(0, content.length >> 1)
    return faults.around({ ...operation, partly: () => file.write(half) }, work)
  })
}

/** Injects faults into every operation of these parts. Leave `files` out if they use a faulty disk already. */
export function faultyHost(
  host: Host,
  faults: Faults,
  parts: readonly (keyof Host)[] = ['files', 'units', 'accounts', 'os', 'power'],
): Host {
  const faulty = <P extends keyof Host>(part: P): Host[P] => {
    if (!parts.includes(part)) return host[part]
    return wrap(host[part], (call, args, work) => {
      const about = [args[0]].flat().filter((arg) => typeof arg === 'string')
      const name = [`${part}.${call}`, ...about].join(' ')
      const error = (code: string): Error => new HostFailure(`${name}: ${code} (injected)`, code)
      return faults.around({ name, error }, work)
    })
  }
  return {
    files: faulty('files'),
    units: faulty('units'),
    accounts: faulty('accounts'),
    os: faulty('os'),
    power: faulty('power'),
    images: faulty('images'),
  }
}

type Around = (
  call: string,
  args: readonly unknown[],
  work: () => Promise<unknown>,
) => Promise<unknown>

/** Wraps each method that returns a promise. */
function wrap<T extends object>(inner: T, around: Around): T {
  return new Proxy(inner, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target)
      if (typeof member !== 'function' || typeof key !== 'string' || key === 'watch') {
        return typeof member === 'function' ? member.bind(target) : member
      }
      return (...args: unknown[]) =>
        around(key, args, () => Reflect.apply(member, target, args) as Promise<unknown>)
    },
  })
}

/** In the format of Node: with the path that was passed to the call, if any. */
const systemError =
  (syscall: string, path?: string) =>
  (code: string): Error => {
    const about = path === undefined ? '' : ` '${path}'`
    return Object.assign(new Error(`${code}: injected, ${syscall}${about}`), { code, syscall })
  }

/** Replaces the path of a directory's descriptor by its real path. */
function readablePath(path: string): string {
  if (!path.startsWith('/proc/self/fd/')) return path
  try {
    return `${readlinkSync(dirname(path))}/${basename(path)}`
  } catch {
    return path
  }
}

const isPast = (fault: Fault, count: number): boolean =>
  'fail' in fault && fault.always === true && count > fault.at

const never = (): Promise<never> => new Promise(() => {})
