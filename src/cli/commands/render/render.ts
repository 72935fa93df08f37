import { Command } from '../../options/commander.ts'
import type { Terminal } from '../../../process/terminal.ts'

export interface RenderOptions {
  readonly pool: string
  readonly filename: readonly string[]
  readonly output: 'yaml' | 'json'
  readonly explain?: string
  readonly release: '4.12' | '4.16' | 'main'
}

export function renderCommand(terminal: Terminal): Command {
  const command = new Command('render')
    .summary('merge the MachineConfigs of a pool into its rendered config')
    .description(
      "merge a pool's MachineConfigs into the rendered config of its nodes, like the render controller; changes nothing",
    )
    .requiredOption('--pool <name>', 'name of the pool')
    .requiredOption(
      '-f, --filename <file...>',
      'YAML or JSON file, directory of such files, or - for standard input, with MachineConfigs and optionally pools and the ControllerConfig; later objects replace earlier ones of the same name',
    )
    .option(
      '--explain <what>',
      'print which MachineConfig set each field of a file, directory or link (by path), unit or user (by name), or of kernelArguments, extensions, kernelType, fips or osImageURL',
    )
  command
    .addOption(
      command
        .createOption('-o, --output <format>', 'output format')
        .choices(['yaml', 'json'])
        .default('yaml'),
    )
    .addOption(
      command
        .createOption(
          '--release <release>',
          'OpenShift release whose merge rules apply; 4.12 merges in the order of names only',
        )
        .choices(['4.12', '4.16', 'main'])
        .default('main'),
    )
  return command.action(async (options: RenderOptions) => {
    if (options.filename.filter((file) => file === '-').length > 1) {
      command.error('standard input can be read only once')
    }
    // Loaded on demand: no other command renders.
    const { renderOffline } = await import('./render-offline.ts')
    terminal.out(await renderOffline(options, terminal))
  })
}
