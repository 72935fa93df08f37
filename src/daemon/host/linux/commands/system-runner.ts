import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import type { Clock } from '@machinist/core/clock'
import { HostFailure } from '../../host-failure.ts'
import type { Command, CommandResult, CommandRunner } from './runner.ts'
import { formatCommand } from './runner.ts'

export interface SystemRunnerOptions {
  readonly clock: Clock
  /** The command that enters the machine's root; a program and its arguments follow. Empty if not needed. */
  readonly enter?: readonly string[]
  /** Additional environment variables, such as proxies. */
  readonly environment?: Readonly<Record<string, string>>
}

const defaultLimitMs = 60_000
/** How long a program may take between SIGTERM and SIGKILL. */
const graceMs = 5000
const maxOutputBytes = 16 * 1024 * 1024
const maxErrorBytes = 16 * 1024

/** Runs the programs of a root that is mounted at another path. */
export const chrootInto = (root: string): string[] => (/^\/+$/.test(root) ? [] : ['chroot', root])

/** Runs programs on this machine, or in the root that `enter` leads to. */
export class SystemRunner implements CommandRunner {
  readonly #clock: Clock
  readonly #enter: readonly string[]
  readonly #environment: Readonly<Record<string, string>>

  constructor({ clock, enter = [], environment }: SystemRunnerOptions) {
    this.#clock = clock
    this.#enter = enter
    this.#environment = { ...minimalEnvironment, ...environment }
  }

  run(command: Command): Promise<CommandResult> {
    const child = this.#spawn(command)
    const { promise, resolve, reject } = Promise.withResolvers<CommandResult>()
    const output = new OutputBuffer(maxOutputBytes)
    const errorLine = new ErrorTail(maxErrorBytes)
    let stopped: HostFailure | undefined
    const stop = (failure: HostFailure): void => {
      if (stopped) return
      stopped = failure
      signalAll(child, 'SIGTERM')
      cancelKill = this.#clock.after(graceMs, () => {
        signalAll(child, 'SIGKILL')
        reject(failure)
      })
    }
    let cancelKill = (): void => {}
    const { limitMs = defaultLimitMs } = command
    const cancelLimit = this.#clock.after(limitMs, () => stop(timeoutFailure(command, limitMs)))
    const { signal: abortSignal } = command
    const abort = (): void => stop(abortedFailure(command))
    abortSignal?.addEventListener('abort', abort, { once: true })
    if (abortSignal?.aborted) abort()
    child.stdout?.on('data', (chunk: Buffer) => {
      if (!output.add(chunk)) stop(outputFailure(command))
    })
    child.stderr?.on('data', (chunk: Buffer) => errorLine.add(chunk))
    // A program may not read all of its input.
    child.stdin?.on('error', () => {})
    child.stdin?.end(command.input ?? '')
    child.on('error', (error: NodeJS.ErrnoException) => reject(startFailure(command, error)))
    child.on('close', (code, signal) => {
      if (stopped) return reject(stopped)
      if (code === null) return reject(signalFailure(command, signal))
      const end = { code, output: output.text(), errorLine: errorLine.lastLine() }
      if (this.#enter.length > 0 && isChrootFailure(end)) return reject(chrootFailure(command, end))
      resolve(end)
    })
    return promise.finally(() => {
      abortSignal?.removeEventListener('abort', abort)
      cancelLimit()
      cancelKill()
    })
  }

  #spawn({ program, args }: Command): ChildProcess {
    const [name, ...all] = [...this.#enter, program, ...args] as [string, ...string[]]
    // A process group of its own, so that all of its processes can be ended together.
    return spawn(name, all, { cwd: '/', env: this.#environment, detached: true })
  }
}

/** Makes programs print English without colors and pagers, whatever the settings of the machine. */
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
  // Otherwise systemctl detects the chroot, does nothing, and exits with 0.
  SYSTEMD_IGNORE_CHROOT: '1',
  // The client that rpm-ostree logs.
  RPMOSTREE_CLIENT_ID: 'machine-config-operator',
} as const

class OutputBuffer {
  readonly #limit: number
  readonly #chunks: Buffer[] = []
  #size = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Returns false if the limit is exceeded. */
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

class ErrorTail {
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
    // The process group has ended already.
  }
}

const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`

const timeoutFailure = (command: Command, limitMs: number): HostFailure =>
  new HostFailure(
    `${formatCommand(command)} took longer than ${seconds(limitMs)} and was ended`,
    'timeout',
  )

const abortedFailure = (command: Command): HostFailure =>
  new HostFailure(`${formatCommand(command)} was canceled`, 'aborted')

const outputFailure = (command: Command): HostFailure =>
  new HostFailure(
    `${formatCommand(command)} wrote more than ${maxOutputBytes} bytes and was ended`,
    'EFBIG',
  )

const signalFailure = (command: Command, signal: string | null): HostFailure =>
  new HostFailure(
    `${formatCommand(command)} was ended by ${signal ?? 'a signal'}`,
    signal ?? 'signal',
  )

function startFailure(command: Command, error: NodeJS.ErrnoException): HostFailure {
  const code = error.code ?? 'spawn'
  const why = code === 'ENOENT' ? 'is not installed' : `cannot be started (${code})`
  return new HostFailure(`${command.program} ${why}`, code, { cause: error })
}

/** chroot reports that the program did not start. */
const isChrootFailure = ({ code, errorLine }: CommandResult): boolean =>
  code >= 125 && code <= 127 && errorLine.startsWith('chroot:')

function chrootFailure(command: Command, { code, errorLine }: CommandResult): HostFailure {
  if (code === 127) return new HostFailure(`${command.program} is not installed`, 'ENOENT')
  return new HostFailure(`${command.program} cannot be started: ${errorLine}`, 'EPERM')
}
