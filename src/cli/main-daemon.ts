import { runOneOf } from './command-line.ts'
import { daemonCommand } from './commands/daemon.ts'
import { runProcess } from './run-process.ts'

/** What the image of those who run on every node holds, and no more. */
await runProcess((args, terminal) => runOneOf([daemonCommand], args, terminal))
