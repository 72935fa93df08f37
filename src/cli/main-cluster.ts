import { runCommandLine } from './command-line.ts'
import { controllerCommand } from './commands/component/controller.ts'
import { operatorCommand } from './commands/component/operator.ts'
import { serverCommand } from './commands/server/server.ts'
import { signerCommand } from './commands/component/signer.ts'
import { runProcess } from './run-process.ts'

/** The commands in the image of the components that run in the cluster, except for the daemon. */
const commands = [controllerCommand, operatorCommand, serverCommand, signerCommand]

await runProcess((args, terminal) => runCommandLine(commands, args, terminal))
