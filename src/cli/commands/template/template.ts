import { Command } from '../../options/commander.ts'
import type { Terminal } from '../../../process/terminal.ts'

export interface TemplateOptions {
  readonly controllerConfig: string
  readonly role?: string
  readonly templates: readonly string[]
  readonly output: 'yaml' | 'json'
}

export function templateCommand(terminal: Terminal): Command {
  const command = new Command('template')
    .summary('generate MachineConfigs from a ControllerConfig')
    .description(
      'generate the MachineConfigs of the built-in roles from a ControllerConfig, like the template controller; changes nothing',
    )
    .requiredOption(
      '--controller-config <file>',
      'YAML or JSON file, or - for standard input, with the ControllerConfig and optionally its pull secret',
    )
    .option(
      '--role <role>',
      'generate only the MachineConfigs of this role; a custom role uses the templates of worker',
    )
    .option(
      '--templates <directory>',
      'directory of templates that override the built-in ones; repeatable',
      (directory: string, before: readonly string[]) => [...before, directory],
      [],
    )
  command.addOption(
    command
      .createOption('-o, --output <format>', 'output format')
      .choices(['yaml', 'json'])
      .default('yaml'),
  )
  return command.action(async (options: TemplateOptions) => {
    // Loaded on demand: no other command needs templates.
    const { templateOffline } = await import('./template-offline.ts')
    terminal.out(await templateOffline(options, terminal))
  })
}
