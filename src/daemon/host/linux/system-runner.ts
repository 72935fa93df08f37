import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import type { Clock } from '@machinist/core/clock'
import { HostFailure } from '../host-failure.ts'
import type { Command, Ended, Runner } from './runner.ts'
import { shown } from './runner.ts'

export interface SystemRunnerOptions {
  readonly clock: Clock
  /** What leads into the machine; a program and its arguments follow. Nothing, if we are there already. */
  readonly enter?: readonly string[]
  /** Beside the few variables that every program gets: proxies, say. */
  readonly environment?: Readonly<Record<string, string>>
}

const usualLimitMs = 60_000
/** How long a program that is told to end may take to clean up. */
const graceMs = 5000
const mostOutput = 16 * 1024 * 1024
const mostComplaint = 16 * 1024

/** To a machine whose root is mounted somewhere else: what runs then is what is installed there. */
export const chrootInto = (root: string): string[] => (/^\/+$/.test(root) ? [] : ['chroot', root])

/** Runs programs on this machine, or on one that can be entered from it. */
export class SystemRunner implements Runner {
  readonly #clock: Clock
  readonly #enter: readonly string[]
  readonly #environment: Readonly<Record<string, string>>

  constructor({ clock, enter = [], environment }: SystemRunnerOptions) {
    this.#clock = clock
    this.#enter = enter
    this.#environment = { ...minimalEnvironment, ...environment }
  }

  run(command: Command): Promise<Ended> {
    const child = this.#spawn(command)
    const { promise, resolve, reject } = Promise.withResolvers<Ended>()
    const output = new Collected(mostOutput)
    const complaint = new Tail(mostComplaint)
    let broken: HostFailure | undefined
    const stop = (failure: HostFailure): void => {
      if (broken) return
      broken = failure
      signalAll(child, 'SIGTERM')
      cancelKill = this.#clock.after(graceMs, () => {
        signalAll(child, 'SIGKILL')
        reject(failure)
      })
    }
    let cancelKill = (): void => {}
    const { limitMs = usualLimitMs } = command
    const cancelLimit = this.#clock.after(limitMs, () => stop(tooLong(command, limitMs)))
    const { signal: unwanted } = command
    const giveUp = (): void => stop(notWanted(command))
    unwanted?.addEventListener('abort', giveUp, { once: true })
    if (unwanted?.aborted) giveUp()
    child.stdout?.on('data', (chunk: Buffer) => {
      if (!output.add(chunk)) stop(tooMuch(command))
    })
    child.stderr?.on('data', (chunk: Buffer) => complaint.add(chunk))
    // A program need not read all that it is given.
    child.stdin?.on('error', () => {})
    child.stdin?.end(command.input ?? '')
    child.on('error', (error: NodeJS.ErrnoException) => reject(notStarted(command, error)))
    child.on('close', (code, signal) => {
      if (broken) return reject(broken)
      if (code === null) return reject(ended(command, signal))
      const end = { code, output: output.text(), complaint: complaint.lastLine() }
      if (this.#enter.length > 0 && chrootFailed(end)) return reject(notInRoot(command, end))
      resolve(end)
    })
    return promise.finally(() => {
      unwanted?.removeEventListener('abort', giveUp)
      cancelLimit()
      cancelKill()
    })
  }

  #spawn({ program, args }: Command): ChildProcess {
    const [name, ...all] = [...this.#enter, program, ...args] as [string, ...string[]]
    // A group of its own, so that all of it can be ended together.
    return spawn(name, all, { cwd: '/', env: this.#environment, detached: true })
  }
}

/** Everything is said in plain English, without colours and pages, whatever the machine is set to. */
const minimalEnvironment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/root',
  LC_ALL: 'C.UTF-8',
  LANG: 'C.UTF-8',
  LANGUAGE: 'C',
  NO_COLOR: '1',
  SYSTEMD_COLORS: '0',
  SYSTEMD_PAGER: '',
  SYSTEMD_URLIFY: '0',
  // Else systemctl believes to be in a chroot and does nothing, successfully.
  SYSTEMD_IGNORE_CHROOT: '1',
  // Who asked, in the journal of rpm-ostree.
  RPMOSTREE_CLIENT_ID: 'machine-config-operator',
} as const

class Collected {
  readonly #limit: number
  readonly #chunks: Buffer[] = []
  #size = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Whether there was room. */
  add(chunk: Buffer): boolean {
    this.#size += chunk.length
    if (this.#size > this.#limit) return false
    this.#chunks.push(chunk)
    return true
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString()
  }
}

class Tail {
  readonly #limit: number
  #kept: Buffer = Buffer.alloc(0)

  constructor(limit: number) {
    this.#limit = limit
  }

  add(chunk: Buffer): void {
    this.#kept = Buffer.concat([this.#kept, chunk]).subarray(-this.#limit)
  }

  lastLine(): string {
    const lines = this.#kept.toString().split('\n')
    const line = lines.findLast((text) => text.trim() !== '') ?? ''
    return line.trim().slice(0, 500)
  }
}

function signalAll({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // All of it has ended already.
  }
}

const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`

const tooLong = (command: Command, limitMs: number): HostFailure =>
  new HostFailure(`${shown(command)} took longer than ${seconds(limitMs)} and was ended`, 'timeout')

const notWanted = (command: Command): HostFailure =>
  new HostFailure(`${shown(command)} was ended: nobody waits for it any more`, 'aborted')

const tooMuch = (command: Command): HostFailure =>
  new HostFailure(`${shown(command)} wrote more than ${mostOutput} bytes and was ended`, 'EFBIG')

const ended = (command: Command, signal: string | null): HostFailure =>
  new HostFailure(`${shown(command)} was ended by ${signal ?? 'a signal'}`, signal ?? 'signal')

function notStarted(command: Command, error: NodeJS.ErrnoException): HostFailure {
  const code = error.code ?? 'spawn'
  const why = code === 'ENOENT' ? 'is not installed' : `cannot be started (${code})`
  return new HostFailure(`${command.program} ${why}`, code, { cause: error })
}

/** Its own way to say that the program did not even start. */
const chrootFailed = ({ code, complaint }: Ended): boolean =>
  code >= 125 && code <= 127 && complaint.startsWith('chroot:')

function notInRoot(command: Command, { code, complaint }: Ended): HostFailure {
  if (code === 127) return new HostFailure(`${command.program} is not installed`, 'ENOENT')
  return new HostFailure(`${command.program} cannot be started: ${complaint}`, 'EPERM')
}
