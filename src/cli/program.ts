import { isOwnMistake, messageOf } from '../base/errors.ts'
import { Command, CommanderError } from './commander.ts'
import { apiserverCommand } from './commands/apiserver.ts'
import { certsCommand } from './commands/certs.ts'
import { compareCommand } from './commands/compare.ts'
import { controllerCommand } from './commands/controller.ts'
import { crdsCommand } from './commands/crds.ts'
import { daemonCommand } from './commands/daemon.ts'
import { ignitionCommand } from './commands/ignition.ts'
import { operatorCommand } from './commands/operator.ts'
import { planCommand } from './commands/plan.ts'
import { renderCommand } from './commands/render.ts'
import { rotateCommand } from './commands/rotate.ts'
import { signerCommand } from './commands/signer.ts'
import { templateCommand } from './commands/template.ts'
import { upCommand } from './commands/up.ts'
import type { Terminal } from './terminal.ts'
import { version } from './version.ts'

/** Part of the command line's contract: people's scripts depend on these. */
const exitCodes = { ok: 0, failure: 1, usage: 2 } as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** Runs one command line to its end. Nothing is thrown: what went wrong is one line on standard error. */
export async function run(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    await createProgram(terminal).parseAsync(args, { from: 'user' })
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

function createProgram(terminal: Terminal): Command {
  const program = new Command('machinist')
    .description(
      'Operating-system configuration and certificates for every node of a Kubernetes cluster.',
    )
    .version(version, '-V, --version', 'print the version')
  program.addCommand(apiserverCommand(terminal))
  program.addCommand(certsCommand(terminal))
  program.addCommand(compareCommand(terminal))
  program.addCommand(controllerCommand(terminal))
  program.addCommand(crdsCommand(terminal))
  program.addCommand(daemonCommand(terminal))
  program.addCommand(ignitionCommand(terminal))
  program.addCommand(operatorCommand(terminal))
  program.addCommand(planCommand(terminal))
  program.addCommand(renderCommand(terminal))
  program.addCommand(rotateCommand(terminal))
  program.addCommand(signerCommand(terminal))
  program.addCommand(templateCommand(terminal))
  program.addCommand(upCommand(terminal))
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

const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ')
