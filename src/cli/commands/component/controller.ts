import type { Release } from '../../../api/validation/extensions.ts'
import { Command, InvalidArgumentError } from '../../options/commander.ts'
import type { Terminal } from '../../../process/terminal.ts'
import type { ComponentOptions } from '../../../process/component-options.ts'
import { addComponentOptions, secondsArgument } from '../../options/component-options.ts'

export interface ControllerOptions extends ComponentOptions {
  readonly templates?: readonly string[]
  readonly release: Release
  readonly keepRendered: number
  readonly renderWindow: number
}

export function controllerCommand(terminal: Terminal): Command {
  const command = addComponentOptions(
    new Command('controller')
      .summary('run the controllers')
      .description(
        'run the controllers: template, render, rollout, drain; of several instances, only the leader is active',
      ),
  )
    .option(
      '--templates <dir>',
      'directory of templates that override the built-in ones; repeatable',
      (path: string, before: readonly string[] | undefined) => [...(before ?? []), path],
    )
    .option('--keep-rendered <count>', 'rendered configs to keep per pool', countArgument, 10)
    .option(
      '--render-window <seconds>',
      'how long to collect changes before rendering',
      secondsArgument(0),
      5,
    )
  command.addOption(
    command
      .createOption(
        '--release <release>',
        'OpenShift release whose merge rules and Ignition version apply',
      )
      .choices(['4.12', '4.16', 'main'])
      .default('main'),
  )
  return command.action(async (options: ControllerOptions) => {
    const { runControllerProcess } = await import('./run-controller.ts')
    await runControllerProcess(options, terminal)
  })
}

function countArgument(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Expected a number, 0 or more.')
  return Number(text)
}
