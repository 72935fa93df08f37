import { runOneOf } from './command-line.ts'
import { controllerCommand } from './commands/controller.ts'
import { operatorCommand } from './commands/operator.ts'
import { signerCommand } from './commands/signer.ts'
import { runProcess } from './run-process.ts'

/** What the image of those who run once per cluster holds, and no more. */
const commands = [controllerCommand, operatorCommand, signerCommand]

await runProcess((args, terminal) => runOneOf(commands, args, terminal))
