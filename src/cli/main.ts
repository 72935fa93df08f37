import { processTerminal } from './terminal.ts'
import { run } from './program.ts'

// A reader that has seen enough (`machinist crds | head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

// Not process.exit(): that would cut off output that is still on its way into a pipe.
process.exitCode = await run(process.argv.slice(2), processTerminal)
