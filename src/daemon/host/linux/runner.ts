import { HostFailure } from '../host-failure.ts'

/** One program to run on the machine: never through a shell, so nothing in an argument has a meaning of its own. */
export interface Command {
  readonly program: string
  readonly args: readonly string[]
  /** What it reads. Not in any message: this is where secrets go. */
  readonly input?: string
  readonly limitMs?: number
  /** Ends it early, which then is a failure. */
  readonly signal?: AbortSignal
}

export interface Ended {
  /** 0 is success. */
  readonly code: number
  readonly output: string
  /** The last line that it wrote to standard error. */
  readonly complaint: string
}

/** Runs programs. What cannot be started, takes too long or says too much is a `HostFailure`; an exit code is an answer. */
export interface Runner {
  run(command: Command): Promise<Ended>
}

/** For programs that have to succeed. Gives what they wrote. */
export async function succeed(runner: Runner, command: Command): Promise<string> {
  const ended = await runner.run(command)
  if (ended.code !== 0) throw exitFailure(command, ended)
  return ended.output
}

export function exitFailure(command: Command, { code, complaint }: Ended): HostFailure {
  const why = complaint === '' ? '' : `: ${complaint}`
  return new HostFailure(`${shown(command)} failed (exit ${code})${why}`, `exit ${code}`)
}

/** As a person would type it, so that they can try it by hand; long ones cut short. */
export function shown({ program, args }: Command): string {
  const words = [program, ...args].map((word) => (plain.test(word) ? word : JSON.stringify(word)))
  const line = words.join(' ')
  return line.length <= longest ? line : `${line.slice(0, longest)}…`
}

const plain = /^[\w@%+=:,./\\-]+$/
const longest = 200
