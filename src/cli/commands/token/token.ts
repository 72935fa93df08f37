import { readDuration } from '@machinist/core/duration'
import { Command, InvalidArgumentError } from '../../options/commander.ts'
import { kubeconfigHelp } from '../../options/component-options.ts'
import type { Terminal } from '../../../process/terminal.ts'

interface CommonOptions {
  readonly kubeconfig?: string
}

export interface TokenListOptions extends CommonOptions {
  readonly pool?: string
  readonly output: 'text' | 'json'
}

export interface TokenCreateOptions extends CommonOptions {
  readonly pool: string
  readonly singleUse: boolean
  readonly cidr?: readonly string[]
  /** Milliseconds. */
  readonly expires?: number
}

export interface TokenRevokeOptions extends CommonOptions {
  readonly pool: string
  readonly all: boolean
}

export function tokenCommand(terminal: Terminal): Command {
  return new Command('token')
    .summary('list, create and revoke provisioning tokens')
    .description(
      'list, create and revoke provisioning tokens: with a token of a pool, a new machine reads the config of the pool',
    )
    .addCommand(listCommand(terminal))
    .addCommand(createCommand(terminal))
    .addCommand(revokeCommand(terminal))
}

function listCommand(terminal: Terminal): Command {
  const command = new Command('list')
    .description('list the tokens, without their content')
    .option('--pool <name>', 'only tokens of this pool')
    .option('--kubeconfig <file>', kubeconfigHelp)
  command.addOption(
    command
      .createOption('-o, --output <format>', 'output format')
      .choices(['text', 'json'])
      .default('text'),
  )
  return command.action(async (options: TokenListOptions) => {
    const { runTokenList } = await import('./run-token.ts')
    await runTokenList(options, terminal)
  })
}

function createCommand(terminal: Terminal): Command {
  return new Command('create')
    .description(
      'create a token for a pool, in addition to the one that the operator rotates, and print the name of its Secret',
    )
    .requiredOption('--pool <name>', 'name of the pool')
    .option('--single-use', 'accept the token for one machine only', false)
    .option(
      '--cidr <range>',
      'accept the token only from this range of addresses, such as 10.0.0.0/8; repeatable',
      (text: string, all: readonly string[] | undefined) => [...(all ?? []), text],
    )
    .option('--expires <duration>', 'accept the token for this time: 24h, 30m', durationArgument)
    .option('--kubeconfig <file>', kubeconfigHelp)
    .action(async (options: TokenCreateOptions) => {
      const { runTokenCreate } = await import('./run-token.ts')
      await runTokenCreate(options, terminal)
    })
}

function revokeCommand(terminal: Terminal): Command {
  const command = new Command('revoke')
    .description(
      'delete tokens of a pool, so that no machine can use them; the operator replaces its own token, and user data follows',
    )
    .argument('[secret...]', 'names of the Secrets')
    .requiredOption('--pool <name>', 'name of the pool')
    .option('--all', 'revoke all tokens of the pool', false)
    .option('--kubeconfig <file>', kubeconfigHelp)
  return command.action(async (names: string[], options: TokenRevokeOptions) => {
    if (names.length > 0 === options.all) command.error('name the Secrets, or use --all')
    const { runTokenRevoke } = await import('./run-token.ts')
    await runTokenRevoke(names, options, terminal)
  })
}

function durationArgument(text: string): number {
  const ms = readDuration(text)
  if (!ms) throw new InvalidArgumentError('Expected a duration such as 30m or 24h.')
  return ms
}
