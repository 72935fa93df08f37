import type { Terminal } from '../process/terminal.ts'
import type { CommandFactory, ExitCode } from './command-line.ts'
import { runCommandLine } from './command-line.ts'
import { apiserverCommand } from './commands/apiserver.ts'
import { bootstrapCommand } from './commands/bootstrap/bootstrap.ts'
import { certsCommand } from './commands/certs/certs.ts'
import { compareCommand } from './commands/compare/compare.ts'
import { controllerCommand } from './commands/component/controller.ts'
import { crdsCommand } from './commands/crds.ts'
import { daemonCommand } from './commands/daemon/daemon.ts'
import { ignitionCommand } from './commands/ignition/ignition.ts'
import { operatorCommand } from './commands/component/operator.ts'
import { planCommand } from './commands/plan/plan.ts'
import { pointerCommand } from './commands/pointer/pointer.ts'
import { renderCommand } from './commands/render/render.ts'
import { rotateCommand } from './commands/rotate/rotate.ts'
import { serverCommand } from './commands/server/server.ts'
import { signerCommand } from './commands/component/signer.ts'
import { templateCommand } from './commands/template/template.ts'
import { tokenCommand } from './commands/token/token.ts'
import { upCommand } from './commands/up/up.ts'

/** Runs one command line of the whole program. */
export const run = (args: readonly string[], terminal: Terminal): Promise<ExitCode> =>
  runCommandLine(allCommands, args, terminal)

export const allCommands: readonly CommandFactory[] = [
  apiserverCommand,
  bootstrapCommand,
  certsCommand,
  compareCommand,
  controllerCommand,
  crdsCommand,
  daemonCommand,
  ignitionCommand,
  operatorCommand,
  planCommand,
  pointerCommand,
  renderCommand,
  rotateCommand,
  serverCommand,
  signerCommand,
  templateCommand,
  tokenCommand,
  upCommand,
]
