import { Command } from '../commander.ts'
import type { Terminal } from '../../process/terminal.ts'

export interface RenderOptions {
  readonly pool: string
  readonly filename: readonly string[]
  readonly output: 'yaml' | 'json'
  readonly explain?: string
  readonly release: '4.12' | '4.16' | 'main'
}

export function renderCommand(terminal: Terminal): Command {
  const command = new Command('render')
    .description(
      "merge a pool's MachineConfigs into the one that its nodes will get, as the render controller does; touches nothing",
    )
    .requiredOption('--pool <name>', 'the pool')
    .requiredOption(
      '-f, --filename <file...>',
      'MachineConfigs, and pools and the ControllerConfig if there are any: files with YAML or JSON, directories of such files, or - for standard input; an object of a later one replaces one of the same name',
    )
    .option(
      '--explain <what>',
      'print instead which MachineConfig decided each field of a file, directory or link (by path), of a unit or user (by name), or of kernelArguments, extensions, kernelType, fips or osImageURL',
    )
  command
    .addOption(
      command
        .createOption('-o, --output <format>', 'how to print it')
        .choices(['yaml', 'json'])
        .default('yaml'),
    )
    .addOption(
      command
        .createOption(
          '--release <release>',
          'whose rules hold; 4.12 merges in the order of names alone',
        )
        .choices(['4.12', '4.16', 'main'])
        .default('main'),
    )
  return command.action(async (options: RenderOptions) => {
    if (options.filename.filter((file) => file === '-').length > 1) {
      command.error('standard input can be read only once')
    }
    // Only here: no other command renders.
    const { renderOffline } = await import('./render-offline.ts')
    terminal.out(await renderOffline(options, terminal))
  })
}
