import type { ChildProcess } from 'node:child_process'
import type { Clock } from '@machinist/core/clock'

export interface Command {
  readonly command: string
  readonly args: readonly string[]
  /** Added to the environment of the runner. */
  readonly env: Readonly<Record<string, string>>
}

export type CommandResult =
  | { readonly type: 'succeeded'; readonly output: string }
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'not-found' }
  | { readonly type: 'not-startable'; readonly code: string }
  | { readonly type: 'timed-out' }
  | { readonly type: 'output-too-large' }

export type RunCommand = (command: Command) => Promise<CommandResult>

export interface RunOptions {
  readonly clock: Clock
  readonly env: Readonly<Record<string, string | undefined>>
  readonly timeoutMs?: number
  /** A program and its arguments that run the command where it is installed: `chroot`, `/rootfs`. */
  readonly enter?: readonly string[]
  /** `inherit` shows errors to a user at a terminal; logs must not contain them. */
  readonly stderr?: 'inherit' | 'ignore'
}

const maxOutputBytes = 1 << 20

/** Runs commands without input, with a timeout and an output limit. */
export function commandRunner(options: RunOptions): RunCommand {
  const { clock, timeoutMs = 60_000 } = options
  return (command) =>
    new Promise((resolve) => {
      const child = spawnCommand(command, options)
      if (!child) return resolve({ type: 'not-startable', code: 'not a valid command line' })
      const chunks: Buffer[] = []
      let size = 0
      const finish = (result: CommandResult): void => {
        cancel()
        child.kill('SIGKILL')
        child.stdout?.destroy()
        resolve(result)
      }
      const cancel = clock.after(timeoutMs, () => finish({ type: 'timed-out' }))
      child.stdout?.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > maxOutputBytes) finish({ type: 'output-too-large' })
        else chunks.push(chunk)
      })
      child.on('error', (error: NodeJS.ErrnoException) => {
        const code = error.code ?? 'unknown reason'
        finish(code === 'ENOENT' ? { type: 'not-found' } : { type: 'not-startable', code })
      })
      child.on('close', (code, signal) => {
        const output = Buffer.concat(chunks).toString('utf8')
        if (code === 0) finish({ type: 'succeeded', output })
        else finish({ type: 'failed', reason: signal ?? `exit code ${code}` })
      })
    })
}

function spawnCommand(
  { command, args, env }: Command,
  options: RunOptions,
): ChildProcess | undefined {
  // Loaded on demand: most processes never run a plugin.
  const { spawn } = process.getBuiltinModule('node:child_process')
  const [program, ...all] = [...(options.enter ?? []), command, ...args] as [string, ...string[]]
  try {
    return spawn(program, all, {
      env: { ...options.env, ...env },
      stdio: ['ignore', 'pipe', options.stderr ?? 'ignore'],
    })
  } catch {
    // Thrown for a NUL in an argument. The message contains the argument, so it must not be logged.
    return undefined
  }
}
