import { Command } from '../../options/commander.ts'
import type { Terminal } from '../../../process/terminal.ts'
import { sizeArgument, speedArgument } from '../up/up.ts'

export interface CompareOptions {
  readonly nodes: string
  readonly speed: number
  readonly data?: string
  readonly output: 'json' | 'text'
}

export function compareCommand(terminal: Terminal): Command {
  const command = new Command('compare')
    .summary('compare rendered and direct delivery of a CA in two trial clusters')
    .description(
      'rotate a CA in two trial clusters and compare the cost: delivery in rendered configs (OpenShift 4.12) and direct delivery (4.16)',
    )
    .option(
      '--nodes <counts>',
      'number of nodes: control plane, workers, custom pools by name; the last pool is paused',
      '3,3,infra=2',
    )
    .option('--speed <factor>', 'divide all waiting times by this factor', speedArgument, 10)
    .option('--data <dir>', 'directory to keep both clusters and their logs in (default: none)')
  command.addOption(
    command
      .createOption('-o, --output <format>', 'output format')
      .choices(['json', 'text'])
      .default('text'),
  )
  return command.action(async (options: CompareOptions, self: Command) => {
    const size = await sizeArgument(options.nodes, self)
    const { comparedPools } = await import('../../../devcluster/compare/compared-pools.ts')
    const pools = comparedPools(size)
    if (pools.length < 2) {
      self.error('--nodes: at least two pools need nodes, because one of them is paused: use 1,2')
    }
    const { runCompare } = await import('./run-compare.ts')
    await runCompare(options, pools, terminal)
  })
}
