import type { Terminal } from '../process/terminal.ts'
import { processTerminal } from '../process/terminal.ts'
import type { ExitCode } from './command-line.ts'

/** Runs a program with the arguments of this process and sets the exit code. */
export async function runProcess(
  program: (args: readonly string[], terminal: Terminal) => Promise<ExitCode>,
): Promise<void> {
  // A reader that closes the pipe early (`machinist crds | head`) is not a failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })

  // process.exit() would truncate output that is still being written to a pipe.
  process.exitCode = await program(process.argv.slice(2), processTerminal)
}
