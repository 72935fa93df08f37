import { Command, InvalidArgumentError } from '../commander.ts'
import type { Terminal } from '../../process/terminal.ts'

export interface CertsOptions {
  readonly node?: string
  readonly output: 'json' | 'yaml' | 'text'
  readonly kubeconfig?: string
  readonly check: boolean
  readonly days: number
}

export function certsCommand(terminal: Terminal): Command {
  const command = new Command('certs')
    .description(
      'show what is trusted in a cluster: signers, bundles, leafs, nodes; what is about to happen, who lags',
    )
    .option('--node <name>', 'show what one node has, file by file')
    .option('--kubeconfig <file>', 'where the cluster is (default: as kubectl finds it)')
    .option('--check', 'fail if something ends within --days, or if a node lags', false)
    .option('--days <days>', 'how many days are enough for --check', days, 14)
  command.addOption(
    command
      .createOption('-o, --output <format>', 'how to print it')
      .choices(['json', 'yaml', 'text'])
      .default('text'),
  )
  return command.action(async (options: CertsOptions) => {
    const { runCerts } = await import('./certs-run.ts')
    await runCerts(options, terminal)
  })
}

function days(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError('Say a number of days, 0 or more.')
  return Number(text)
}
