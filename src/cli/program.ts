import type { CommandMaker, ExitCode } from './command-line.ts'
import { runOneOf } from './command-line.ts'
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
import type { Terminal } from '../process/terminal.ts'

/** Runs one command line of the whole program. */
export const run = (args: readonly string[], terminal: Terminal): Promise<ExitCode> =>
  runOneOf(everyCommand, args, terminal)

const everyCommand: readonly CommandMaker[] = [
  apiserverCommand,
  certsCommand,
  compareCommand,
  controllerCommand,
  crdsCommand,
  daemonCommand,
  ignitionCommand,
  operatorCommand,
  planCommand,
  renderCommand,
  rotateCommand,
  signerCommand,
  templateCommand,
  upCommand,
]
