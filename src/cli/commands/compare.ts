import { Command } from '../commander.ts'
import type { Terminal } from '../../process/terminal.ts'
import { sizeOf, speedArgument } from './up.ts'

export interface CompareOptions {
  readonly nodes: string
  readonly speed: number
  readonly data?: string
  readonly output: 'json' | 'text'
}

export function compareCommand(terminal: Terminal): Command {
  const command = new Command('compare')
    .description(
      'rotate a CA twice, in rendered configs (4.12’s way) and past them (4.16’s way), and show side by side what it took',
    )
    .option(
      '--nodes <counts>',
      'control plane, workers, and others by pool; the last pool is paused',
      '3,3,infra=2',
    )
    .option('--speed <factor>', 'how many times faster waits are over', speedArgument, 10)
    .option('--data <dir>', 'keep both clusters here, with their logs (default: nothing is kept)')
  command.addOption(
    command
      .createOption('-o, --output <format>', 'how to print it')
      .choices(['json', 'text'])
      .default('text'),
  )
  return command.action(async (options: CompareOptions, self: Command) => {
    const size = await sizeOf(options.nodes, self)
    const { comparedPools } = await import('../../devcluster/compare/compared-pools.ts')
    const pools = comparedPools(size)
    if (pools.length < 2) {
      self.error('--nodes: one pool is paused and another is not, so there must be two, as in 1,2')
    }
    const { runCompare } = await import('../compare/run-compare.ts')
    await runCompare(options, pools, terminal)
  })
}
