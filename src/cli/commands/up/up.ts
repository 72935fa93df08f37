import { messageOf } from '@machinist/core/errors'
import { Command, InvalidArgumentError } from '../../options/commander.ts'
import type { Terminal } from '../../../process/terminal.ts'
import type { ClusterSize } from '../../../devcluster/size/cluster-size.ts'

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
    .description('run a trial cluster until Ctrl-C: API server, controllers and sandbox nodes')
    .option(
      '--data <dir>',
      'directory for all state, including the disks of the nodes',
      '.machinist',
    )
    .option(
      '--nodes <counts>',
      'number of nodes: control plane, workers, custom pools by name (default: 3,4,infra=2, or the previous size)',
    )
    .option('--port <port>', 'port of the API server (default: any free port)', portArgument)
    .option('--context <name>', 'name of the context in the kubeconfig (default: machinist)')
    .option('--speed <factor>', 'divide boot and waiting times by this factor', speedArgument, 1)
    .option(
      '--templates <dir>',
      'directory of templates that override the built-in ones; repeatable',
      (path: string, before: readonly string[] | undefined) => [...(before ?? []), path],
    )
    .action(async (options: UpOptions, command: Command) => {
      const size =
        options.nodes === undefined ? undefined : await sizeArgument(options.nodes, command)
      const { runUp } = await import('./run-up.ts')
      await runUp(options, size, terminal)
    })
}

/** Parses `--nodes`; an invalid value is a usage error. */
export async function sizeArgument(nodes: string, command: Command): Promise<ClusterSize> {
  const { parseSize } = await import('../../../devcluster/size/cluster-size.ts')
  try {
    return parseSize(nodes)
  } catch (error) {
    return command.error(messageOf(error))
  }
}

function portArgument(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('Expected a number from 0 to 65535; 0 selects a free port.')
  return port
}

export function speedArgument(text: string): number {
  const factor = Number(text)
  if (text.trim() === '' || !(factor >= 0.1) || factor > 1000)
    throw new InvalidArgumentError('Expected a number from 0.1 to 1000.')
  return factor
}
