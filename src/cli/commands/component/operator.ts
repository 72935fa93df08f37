import { Command } from '../../options/commander.ts'
import type { Terminal } from '../../../process/terminal.ts'
import type { ComponentOptions } from '../../../process/component-options.ts'
import { addComponentOptions } from '../../options/component-options.ts'

export interface OperatorCommandOptions extends ComponentOptions {
  readonly payloadVersion?: string
}

export function operatorCommand(terminal: Terminal): Command {
  return addComponentOptions(
    new Command('operator')
      .summary('run the operator')
      .description(
        'run the operator: publish cluster facts and trust bundles for controllers and nodes; of several instances, only the leader is active',
      ),
  )
    .option(
      '--payload-version <version>',
      'release of this operator; it ignores the images of other releases (default: its own version)',
    )
    .action(async (options: OperatorCommandOptions) => {
      const { runOperatorProcess } = await import('./run-operator.ts')
      await runOperatorProcess(options, terminal)
    })
}
