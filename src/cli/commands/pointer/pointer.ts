import { Command } from '../../options/commander.ts'
import { kubeconfigHelp } from '../../options/component-options.ts'
import type { Terminal } from '../../../process/terminal.ts'

export interface PointerOptions {
  readonly pool: string
  readonly token?: string
  readonly ignitionVersion?: string
  readonly output: 'json'
  readonly kubeconfig?: string
}

export function pointerCommand(terminal: Terminal): Command {
  const command = new Command('pointer')
    .summary('print the first Ignition config of new machines of a pool')
    .description(
      'print the pointer config of a pool: the Ignition config with which a new machine starts. It contains a provisioning token: treat it as a secret',
    )
    .requiredOption('--pool <name>', 'name of the pool')
    .option(
      '--token <secret>',
      'use the token of this Secret instead, such as one of machinist token create',
    )
    .option(
      '--ignition-version <version>',
      'spec version of the config, such as 3.2.0, for boot images whose Ignition does not support that of the user data',
    )
    .option('--kubeconfig <file>', kubeconfigHelp)
  command.addOption(
    command
      .createOption('-o, --output <format>', 'output format')
      .choices(['json'])
      .default('json'),
  )
  return command.action(async (options: PointerOptions) => {
    const { runPointer } = await import('./run-pointer.ts')
    await runPointer(options, terminal)
  })
}
