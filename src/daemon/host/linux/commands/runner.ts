import { HostFailure } from '../../host-failure.ts'

/** One program to run on the machine, without a shell: arguments are never interpreted. */
export interface Command {
  readonly program: string
  readonly args: readonly string[]
  /** Standard input. It may hold secrets, so no message shows it. */
  readonly input?: string
  readonly limitMs?: number
  /** Ends the program early, which is a failure. */
  readonly signal?: AbortSignal
}

export interface CommandResult {
  /** 0 is success. */
  readonly code: number
  readonly output: string
  /** The last line of standard error. */
  readonly errorLine: string
}

/** Runs programs. A failed start, a timeout or too much output is a `HostFailure`; an exit code is a result. */
export interface CommandRunner {
  run(command: Command): Promise<CommandResult>
}

/** Runs a program that must succeed. Returns its output. */
export async function runOrThrow(runner: CommandRunner, command: Command): Promise<string> {
  const result = await runner.run(command)
  if (result.code !== 0) throw exitFailure(command, result)
  return result.output
}

export function exitFailure(command: Command, { code, errorLine }: CommandResult): HostFailure {
  const why = errorLine === '' ? '' : `: ${errorLine}`
  return new HostFailure(`${formatCommand(command)} failed (exit ${code})${why}`, `exit ${code}`)
}

/** The command as a user would type it; a long one is truncated. */
export function formatCommand({ program, args }: Command): string {
  const words = [program, ...args].map((word) =>
    plainWord.test(word) ? word : JSON.stringify(word),
  )
  const line = words.join(' ')
  return line.length <= maxCommandLength ? line : `${line.slice(0, maxCommandLength)}…`
}

const plainWord = /^[\w@%+=:,./\\-]+$/
const maxCommandLength = 200
