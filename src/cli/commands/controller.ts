import type { Release } from '../../api/validation/extensions.ts'
import { Command, InvalidArgumentError } from '../commander.ts'
import type { Terminal } from '../../process/terminal.ts'
import type { ComponentOptions } from '../../process/component-options.ts'
import { addComponentOptions, seconds } from './component-options.ts'

export interface ControllerOptions extends ComponentOptions {
  readonly templates?: readonly string[]
  readonly release: Release
  readonly keepRendered: number
  readonly renderWindow: number
}

export function controllerCommand(terminal: Terminal): Command {
  const command = addComponentOptions(
    new Command('controller').description(
      'run the controllers: templates, rendering, rollout, drains. Of several, the one with the lease works',
    ),
  )
    .option(
      '--templates <dir>',
      'a directory of templates over those that come along; may be given several times',
      (path: string, before: readonly string[] | undefined) => [...(before ?? []), path],
    )
    .option('--keep-rendered <count>', 'rendered configs kept per pool, used or not', count, 10)
    .option(
      '--render-window <seconds>',
      'how long changes are collected before they are rendered',
      seconds(0),
      5,
    )
  command.addOption(
    command
      .createOption(
        '--release <release>',
        'whose rules of order and merge hold, and whose Ignition version is rendered',
      )
      .choices(['4.12', '4.16', 'main'])
      .default('main'),
  )
  return command.action(async (options: ControllerOptions) => {
    const { runControllerProcess } = await import('./controller-run.ts')
    await runControllerProcess(options, terminal)
  })
}

function count(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Say a number, 0 or more.')
  return Number(text)
}
