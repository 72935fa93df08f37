import type { Release } from '../../../api/validation/extensions.ts'
import { Command } from '../../options/commander.ts'
import { secondsArgument } from '../../options/component-options.ts'
import type { Terminal } from '../../../process/terminal.ts'

export interface BootstrapCommandOptions {
  readonly in: string
  readonly out: string
  readonly force: boolean
  readonly templates: readonly string[]
  readonly release: Release
  readonly payloadVersion?: string
  readonly timeout: number
}

export function bootstrapCommand(terminal: Terminal): Command {
  const command = new Command('bootstrap')
    .summary('render the configs of all pools from manifests, before there is a cluster')
    .description(
      'render the configs of all pools from a directory of manifests, like the operator and the controllers of a cluster, so that a server can give them to the first machines',
    )
    .requiredOption('--in <dir>', 'directory of manifests: .yaml, .yml and .json, also in folders')
    .requiredOption('--out <dir>', 'directory to create; it contains secrets')
    .option('--force', 'replace an output directory that is not empty', false)
    .option(
      '--templates <dir>',
      'directory of templates that override the built-in ones; repeatable',
      (path: string, before: readonly string[]) => [...before, path],
      [],
    )
    .option(
      '--payload-version <version>',
      'release of the cluster, as for the operator (default: the version of Machinist)',
    )
    .option('--timeout <seconds>', 'time limit for the controllers', secondsArgument(1), 120)
  command.addOption(
    command
      .createOption(
        '--release <release>',
        'OpenShift release whose merge rules and Ignition version apply, as for the controllers',
      )
      .choices(['4.12', '4.16', 'main'])
      .default('main'),
  )
  return command.action(async (options: BootstrapCommandOptions) => {
    const { runBootstrap } = await import('./run-bootstrap.ts')
    await runBootstrap(options, terminal)
  })
}
