import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Programs in one scratch directory that never outlive this process, even if it crashes or is killed: a shell (the reaper)
 * waits until this process closes a pipe, kills the remaining programs and removes the directory.
 */
export class ChildProcesses {
  readonly #directory: string
  readonly #running = new Set<ChildProcess>()
  readonly #reaper: ChildProcess

  constructor(directory: string) {
    this.#directory = directory
    const script = [
      'while read -r line; do pids=$line; done',
      '[ -z "$pids" ] || kill -9 $pids',
      // Retry, because killed programs may still write.
      'for _ in 1 2 3 4 5; do rm -rf "$0" && break; sleep 0.2; done',
    ].join('\n')
    // A separate process group, so that Ctrl-C in the terminal does not stop the reaper.
    this.#reaper = spawn('sh', ['-c', script, directory], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    })
    this.#reaper.unref()
  }

  /** Starts a program; its output goes to `<name>.log` in the directory. `env` is added to the environment of this process. */
  start(
    name: string,
    program: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): ChildProcess {
    const log = openSync(this.#log(name), 'a')
    const child = spawn(program, args, {
      stdio: ['ignore', log, log],
      cwd: this.#directory,
      env: { ...process.env, ...env },
    })
    closeSync(log)
    child.on('error', () => this.#forget(child))
    child.on('exit', () => this.#forget(child))
    this.#running.add(child)
    this.#sendPids()
    return child
  }

  logTail(name: string, lines = 25): string {
    return readFileSync(this.#log(name), 'utf8').trimEnd().split('\n').slice(-lines).join('\n')
  }

  /** Kills all programs and removes the directory. */
  async stop(): Promise<void> {
    this.#reaper.ref()
    const exited = once(this.#reaper, 'exit')
    this.#reaper.stdin?.end()
    await exited
  }

  #log(name: string): string {
    return join(this.#directory, `${name}.log`)
  }

  #forget(child: ChildProcess): void {
    this.#running.delete(child)
    this.#sendPids()
  }

  #sendPids(): void {
    const pids = [...this.#running].map((child) => child.pid).join(' ')
    if (this.#reaper.stdin?.writable) this.#reaper.stdin.write(`${pids}\n`)
  }
}

/** Sends a signal to a program and waits until it exits. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}
