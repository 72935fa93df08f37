import { runCommandLine } from './command-line.ts'
import { daemonCommand } from './commands/daemon/daemon.ts'
import { runProcess } from './run-process.ts'

/** The image of the daemon contains this command only. */
await runProcess((args, terminal) => runCommandLine([daemonCommand], args, terminal))
