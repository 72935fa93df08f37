import { isOwnMistake, messageOf } from '@machinist/core/errors'
import { Command, CommanderError } from './commander.ts'
import type { Terminal } from '../process/terminal.ts'
import { version } from '../process/version.ts'

/** Part of the command line's contract: people's scripts depend on these. */
const exitCodes = { ok: 0, failure: 1, usage: 2 } as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

export type CommandMaker = (terminal: Terminal) => Command

/** Runs one command line to its end. Nothing is thrown: what went wrong is one line on standard error. */
export async function runOneOf(
  commands: readonly CommandMaker[],
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  try {
    await programOf(commands, terminal).parseAsync(args, { from: 'user' })
    return exitCodes.ok
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    }
    terminal.error(`machinist: ${oneLine(messageOf(error))}\n`)
    if (isOwnMistake(error)) terminal.error(`${error.stack}\n`)
    return exitCodes.failure
  }
}

function programOf(commands: readonly CommandMaker[], terminal: Terminal): Command {
  const program = new Command('machinist')
    .description(
      'Operating-system configuration and certificates for every node of a Kubernetes cluster.',
    )
    .version(version, '-V, --version', 'print the version')
  for (const make of commands) program.addCommand(make(terminal))
  for (const command of withDescendants(program)) behave(command, terminal)
  return program
}

/** Gives a command the house's manners: it never ends the process, and says a usage error in one line. */
function behave(command: Command, terminal: Terminal): void {
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
