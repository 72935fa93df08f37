import { isProgrammingError, messageOf } from '@machinist/core/errors'
import type { Terminal } from '../process/terminal.ts'
import { version } from '../process/version.ts'
import { Command, CommanderError } from './options/commander.ts'

/** Part of the contract of the command line: scripts depend on these exit codes. */
const exitCodes = { ok: 0, failure: 1, usage: 2 } as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

export type CommandFactory = (terminal: Terminal) => Command

/** Runs one command line to its end. It never throws: a failure is one line on standard error. */
export async function runCommandLine(
  commands: readonly CommandFactory[],
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  try {
    await createProgram(commands, terminal).parseAsync(args, { from: 'user' })
    return exitCodes.ok
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    }
    terminal.error(`machinist: ${oneLine(messageOf(error))}\n`)
    if (isProgrammingError(error)) terminal.error(`${error.stack}\n`)
    return exitCodes.failure
  }
}

/** The tree of commands. Help and the generated reference read it as well. */
export function createProgram(commands: readonly CommandFactory[], terminal: Terminal): Command {
  const program = new Command('machinist')
    .description(
      'manage the operating-system configuration and certificates of every node of a Kubernetes cluster',
    )
    .version(version, '-V, --version', 'print the version')
  for (const createCommand of commands) program.addCommand(createCommand(terminal))
  for (const command of withDescendants(program)) configureCommand(command, terminal)
  return program
}

/** Keeps a command from ending the process, and prints a usage error as one line. */
function configureCommand(command: Command, terminal: Terminal): void {
  const pathOf = (c: Command): string => (c.parent ? `${pathOf(c.parent)} ${c.name()}` : c.name())
  command
    .exitOverride()
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.error,
      outputError: (text, write) =>
        write(
          `machinist: ${oneLine(text.replace(/^error: /, '').trim())} (see ${pathOf(command)} --help)\n`,
        ),
    })
}

function* withDescendants(command: Command): Iterable<Command> {
  yield command
  for (const child of command.commands) yield* withDescendants(child)
}

const oneLine = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')
