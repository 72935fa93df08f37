import type { ExitCode } from './command-line.ts'
import type { Terminal } from '../process/terminal.ts'
import { processTerminal } from '../process/terminal.ts'

/** What a program does with its arguments is what this process does. */
export async function runProcess(
  program: (args: readonly string[], terminal: Terminal) => Promise<ExitCode>,
): Promise<void> {
  // A reader that has seen enough (`machinist crds | head`) is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })

  // Not process.exit(): that would cut off output that is still on its way into a pipe.
  process.exitCode = await program(process.argv.slice(2), processTerminal)
}
