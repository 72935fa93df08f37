import { readlinkSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Disk, OpenFile } from './disk.ts'
import { HostFailure } from './host-failure.ts'
import type { Host } from './host.ts'

/**
 * Accidents for tests: every operation of a disk or a host is counted, and at one of them something happens.
 *
 *     const faults = new Faults({ at: 17, fail: 'ENOSPC' })            // the 17th fails, once
 *     const faults = new Faults({ at: 17, fail: 'EIO', always: true }) // and everything after it
 *     const faults = new Faults({ at: 17, die: 'before', by: 'kill' }) // kill -9 of this very process
 *     const faults = new Faults({ at: 17, die: 'after', by: 'freeze' }) // nothing ever comes back: await faults.died
 *     const files = new RootedFiles({ disk: faultyDisk(realDisk, faults), root })
 *     const host = faultyHost({ ...sandbox, files }, faults, ['units', 'accounts', 'os', 'power'])
 *
 * A run without a fault (`new Faults()`) tells by `count` how many points there are to try, and by `operations` which.
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

  /** What was done, in order: `rename /etc/x`, `units.enable a.service`. */
  get operations(): readonly string[] {
    return this.#operations
  }

  /** Resolves when the fault has frozen everything: what a killed process would have left is on the disk now. */
  get died(): Promise<void> {
    return this.#died.promise
  }

  /** Does one operation, or what happens instead. `partly` is what an operation that breaks off has done by then. */
  async around<T>({ name, error, partly }: Operation, work: () => Promise<T>): Promise<T> {
    if (this.#dead) return never()
    const fault = this.#fault
    if (fault?.only && !fault.only(name)) return work()
    this.#operations.push(name)
    const isIt = fault !== undefined && (fault.at === this.count || isPast(fault, this.count))
    if (!isIt) return this.#unlessDead(work)
    if ('fail' in fault) {
      await partly?.()
      throw error(fault.fail)
    }
    if (fault.die === 'within') await partly?.()
    // Whether it works or not: we do not live to see it.
    if (fault.die === 'after') await work().catch(() => {})
    return this.#die(fault.by ?? 'kill')
  }

  /** The system closes what a dead process had open. */
  opened(file: OpenFile): void {
    if (this.#dead) void file.close()
    else this.#open.add(file)
  }

  closed(file: OpenFile): void {
    this.#open.delete(file)
  }

  /** A frozen process does not see either what was under way elsewhere. */
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
  /** Which operation, counted from 1. */
  readonly at: number
  /** Only these count; all, if not given. */
  readonly only?: (operation: string) => boolean
}

export interface Failure extends Point {
  /** `ENOSPC`, `EIO`, …; for units, accounts, os and power also `exit 1` or `timeout`. */
  readonly fail: string
  /** So does every counted operation after it. */
  readonly always?: boolean
}

export interface Death extends Point {
  /** `within` is half-way through, for what can be: content that is written. Otherwise it is `before`. */
  readonly die: 'before' | 'within' | 'after'
  /** kill -9 (the default), process.exit with `deathCode`, or all promises stay pending for ever. */
  readonly by?: 'kill' | 'exit' | 'freeze'
}

/** How a process ends that a fault has exited. */
export const deathCode = 86

interface Operation {
  readonly name: string
  readonly error: (code: string) => Error
  readonly partly?: () => Promise<unknown>
}

/** Every system call may fail; a write that does has written half of its content. */
export function faultyDisk(disk: Disk, faults: Faults): Disk {
  return wrap(disk, (call, [first, second], work) => {
    const given = String(call === 'symlink' ? second : first)
    const path = shown(given)
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
    // Even a close that fails has closed; else tests would run out of handles.
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

/** Every operation of these parts may fail. Leave `files` out where they are on a faulty disk already. */
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

/** The same object, with something around each of its methods that gives a promise. */
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

/** As Node words them: with the path that was given to the call, if any. */
const systemError =
  (syscall: string, path?: string) =>
  (code: string): Error => {
    const about = path === undefined ? '' : ` '${path}'`
    return Object.assign(new Error(`${code}: injected, ${syscall}${about}`), { code, syscall })
  }

/** Directories are reached through their handles; people want to know which. */
function shown(path: string): string {
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
