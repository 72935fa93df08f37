import { Command } from '../commander.ts'
import type { Terminal } from '../../process/terminal.ts'

export interface TemplateOptions {
  readonly controllerConfig: string
  readonly role?: string
  readonly templates: readonly string[]
  readonly output: 'yaml' | 'json'
}

export function templateCommand(terminal: Terminal): Command {
  const command = new Command('template')
    .description(
      'make the MachineConfigs of the built-in roles from a ControllerConfig, as the template controller does; touches nothing',
    )
    .requiredOption(
      '--controller-config <file>',
      'the ControllerConfig and, if it is wanted, the Secret that it names as pull secret: YAML or JSON, or - for standard input',
    )
    .option(
      '--role <role>',
      'only the MachineConfigs of this role; one that is not built in has the templates of worker',
    )
    .option(
      '--templates <directory>',
      'more templates, on top of those that come with Machinist; can be given several times',
      (directory: string, before: readonly string[]) => [...before, directory],
      [],
    )
  command.addOption(
    command
      .createOption('-o, --output <format>', 'how to print them')
      .choices(['yaml', 'json'])
      .default('yaml'),
  )
  return command.action(async (options: TemplateOptions) => {
    // Only here: no other command needs templates.
    const { templateOffline } = await import('./template-offline.ts')
    terminal.out(await templateOffline(options, terminal))
  })
}
