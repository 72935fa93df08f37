import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Programs that live in one scratch directory and never outlive this process, however it ends: a shell waits for our
 * end of a pipe to close (a crash and SIGKILL close it too), then kills what still runs and removes the directory.
 */
export class ChildProcesses {
  readonly #directory: string
  readonly #running = new Set<ChildProcess>()
  readonly #undertaker: ChildProcess

  constructor(directory: string) {
    this.#directory = directory
    const vigil = [
      'while read -r line; do pids=$line; done',
      '[ -z "$pids" ] || kill -9 $pids',
      // Again, because what was just killed may still be writing.
      'for _ in 1 2 3 4 5; do rm -rf "$0" && break; sleep 0.2; done',
    ].join('\n')
    // A group of its own, so that Ctrl-C in the terminal does not end it before its work is done.
    this.#undertaker = spawn('sh', ['-c', vigil, directory], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    })
    this.#undertaker.unref()
  }

  /** Starts a program; what it prints goes to `<name>.log` in the directory. `env` is beside ours. */
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
    this.#tellUndertaker()
    return child
  }

  logTail(name: string, lines = 25): string {
    return readFileSync(this.#log(name), 'utf8').trimEnd().split('\n').slice(-lines).join('\n')
  }

  /** Kills everything and removes the directory. */
  async stop(): Promise<void> {
    this.#undertaker.ref()
    const buried = once(this.#undertaker, 'exit')
    this.#undertaker.stdin?.end()
    await buried
  }

  #log(name: string): string {
    return join(this.#directory, `${name}.log`)
  }

  #forget(child: ChildProcess): void {
    this.#running.delete(child)
    this.#tellUndertaker()
  }

  #tellUndertaker(): void {
    const pids = [...this.#running].map((child) => child.pid).join(' ')
    if (this.#undertaker.stdin?.writable) this.#undertaker.stdin.write(`${pids}\n`)
  }
}

/** Ends one program and waits until it is gone. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill(signal)
  await gone
}
