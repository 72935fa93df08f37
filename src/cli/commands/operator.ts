import { Command } from '../commander.ts'
import type { Terminal } from '../../process/terminal.ts'
import type { ComponentOptions } from '../../process/component-options.ts'
import { addComponentOptions } from './component-options.ts'

export interface OperatorCommandOptions extends ComponentOptions {
  readonly payloadVersion?: string
}

export function operatorCommand(terminal: Terminal): Command {
  return addComponentOptions(
    new Command('operator').description(
      'run the operator: what the cluster is like and whom its nodes trust, for controllers and nodes. Of several, the one with the lease works',
    ),
  )
    .option(
      '--payload-version <version>',
      'the release that this operator is of: images of another one are not used (default: its own version)',
    )
    .action(async (options: OperatorCommandOptions) => {
      const { runOperatorProcess } = await import('./operator-run.ts')
      await runOperatorProcess(options, terminal)
    })
}
