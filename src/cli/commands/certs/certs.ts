import { Command, InvalidArgumentError } from '../../options/commander.ts'
import { kubeconfigHelp } from '../../options/component-options.ts'
import type { Terminal } from '../../../process/terminal.ts'

export interface CertsOptions {
  readonly node?: string
  readonly output: 'json' | 'yaml' | 'text'
  readonly kubeconfig?: string
  readonly check: boolean
  readonly days: number
}

export function certsCommand(terminal: Terminal): Command {
  const command = new Command('certs')
    .summary('show the CAs and certificates of a cluster')
    .description(
      'show the CAs and certificates of a cluster: signers, bundles, leaf certificates, nodes that lag, and upcoming events',
    )
    .option('--node <name>', 'show the certificate files of one node')
    .option('--kubeconfig <file>', kubeconfigHelp)
    .option('--check', 'fail if a certificate expires within --days or a node lags', false)
    .option('--days <days>', 'remaining days that --check requires', daysArgument, 14)
  command.addOption(
    command
      .createOption('-o, --output <format>', 'output format')
      .choices(['json', 'yaml', 'text'])
      .default('text'),
  )
  return command.action(async (options: CertsOptions) => {
    const { runCerts } = await import('./run-certs.ts')
    await runCerts(options, terminal)
  })
}

function daysArgument(text: string): number {
  if (!/^\d{1,5}$/.test(text))
    throw new InvalidArgumentError('Expected a number of days, 0 or more.')
  return Number(text)
}
