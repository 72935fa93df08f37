import { messageOf } from '@machinist/core/errors'
import { Command, InvalidArgumentError } from '../commander.ts'
import type { Terminal } from '../../process/terminal.ts'
import type { ClusterSize } from '../../devcluster/cluster-size.ts'

export interface UpOptions {
  readonly data: string
  readonly port?: number
  readonly context?: string
  readonly nodes?: string
  readonly speed: number
  readonly templates?: readonly string[]
}

export function upCommand(terminal: Terminal): Command {
  return new Command('up')
    .description('run a whole cluster to try things on, until Ctrl-C: API, controllers and nodes')
    .option('--data <dir>', 'where everything is kept, the nodes’ disks too', '.machinist')
    .option(
      '--nodes <counts>',
      'control plane, workers, and others by pool (default: 3,4,infra=2, or as it was before)',
    )
    .option('--port <port>', 'where the API listens (default: any free port)', portArgument)
    .option('--context <name>', 'name of the context in the kubeconfig (default: machinist)')
    .option('--speed <factor>', 'how many times faster boots and waits are over', speedArgument, 1)
    .option(
      '--templates <dir>',
      'a directory of templates over those that come along; may be given several times',
      (path: string, before: readonly string[] | undefined) => [...(before ?? []), path],
    )
    .action(async (options: UpOptions, command: Command) => {
      const size = options.nodes === undefined ? undefined : await sizeOf(options.nodes, command)
      const { runUp } = await import('../up/run-up.ts')
      await runUp(options, size, terminal)
    })
}

/** `--nodes`; what makes no sense ends the command as wrong use. */
export async function sizeOf(nodes: string, command: Command): Promise<ClusterSize> {
  const { parseSize } = await import('../../devcluster/cluster-size.ts')
  try {
    return parseSize(nodes)
  } catch (error) {
    return command.error(messageOf(error))
  }
}

function portArgument(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('Use a number from 0 to 65535; 0 takes any free port.')
  return port
}

export function speedArgument(text: string): number {
  const factor = Number(text)
  if (text.trim() === '' || !(factor >= 0.1) || factor > 1000)
    throw new InvalidArgumentError('Say a number from 0.1 to 1000.')
  return factor
}
