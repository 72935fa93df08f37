import type { ChildProcess } from 'node:child_process'
import type { Clock } from '@machinist/core/clock'

export interface Command {
  readonly command: string
  readonly args: readonly string[]
  /** On top of what every command gets. */
  readonly env: Readonly<Record<string, string>>
}

export type CommandResult =
  | { readonly ended: 'done'; readonly output: string }
  | { readonly ended: 'failed'; readonly how: string }
  | { readonly ended: 'missing' }
  | { readonly ended: 'unstartable'; readonly code: string }
  | { readonly ended: 'late' }
  | { readonly ended: 'talkative' }

export type RunCommand = (command: Command) => Promise<CommandResult>

export interface RunOptions {
  readonly clock: Clock
  readonly env: Readonly<Record<string, string | undefined>>
  readonly timeoutMs?: number
  /** What leads to where the command is installed, a program and its arguments: `chroot`, `/rootfs`. */
  readonly enter?: readonly string[]
  /** A person at a terminal wants to see what the command complains about; a log must not. */
  readonly stderr?: 'inherit' | 'ignore'
}

const maxOutputBytes = 1 << 20

/** Runs commands without input, within limits of time and output. */
export function commandRunner(options: RunOptions): RunCommand {
  const { clock, timeoutMs = 60_000 } = options
  return (command) =>
    new Promise((resolve) => {
      const child = started(command, options)
      if (!child) return resolve({ ended: 'unstartable', code: 'not a valid command line' })
      const chunks: Buffer[] = []
      let size = 0
      const finish = (result: CommandResult): void => {
        cancel()
        child.kill('SIGKILL')
        child.stdout?.destroy()
        resolve(result)
      }
      const cancel = clock.after(timeoutMs, () => finish({ ended: 'late' }))
      child.stdout?.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > maxOutputBytes) finish({ ended: 'talkative' })
        else chunks.push(chunk)
      })
      child.on('error', (error: NodeJS.ErrnoException) => {
        const code = error.code ?? 'unknown reason'
        finish(code === 'ENOENT' ? { ended: 'missing' } : { ended: 'unstartable', code })
      })
      child.on('close', (code, signal) => {
        const output = Buffer.concat(chunks).toString('utf8')
        if (code === 0) finish({ ended: 'done', output })
        else finish({ ended: 'failed', how: signal ?? `exit code ${code}` })
      })
    })
}

function started({ command, args, env }: Command, options: RunOptions): ChildProcess | undefined {
  // Most processes never run a plugin: the module is loaded by those that do.
  const { spawn } = process.getBuiltinModule('node:child_process')
  const [program, ...all] = [...(options.enter ?? []), command, ...args] as [string, ...string[]]
  try {
    return spawn(program, all, {
      env: { ...options.env, ...env },
      stdio: ['ignore', 'pipe', options.stderr ?? 'ignore'],
    })
  } catch {
    // Thrown for a NUL in an argument, with the argument in the message: not to be repeated.
    return undefined
  }
}
