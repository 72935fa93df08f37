import { readDuration } from '@machinist/core/duration'
import { Command, InvalidArgumentError } from '../../options/commander.ts'
import { kubeconfigHelp } from '../../options/component-options.ts'
import type { Terminal } from '../../../process/terminal.ts'

export interface RotateOptions {
  readonly watch: boolean
  readonly status: boolean
  readonly dryRun: boolean
  readonly back: boolean
  readonly without?: readonly string[]
  readonly force: boolean
  /** Milliseconds. */
  readonly timeout?: number
  readonly output: 'text' | 'json'
  readonly kubeconfig?: string
}

export function rotateCommand(terminal: Terminal): Command {
  const command = new Command('rotate')
    .summary('replace a CA with a new one')
    .description(
      'replace a CA with a new one that every node trusts before it signs anything; print the plan, then carry it out',
    )
    .argument('[name]', 'name of the TrustRotation; optional if there is only one candidate')
    .option('--watch', 'watch the rotation until it completes', false)
    .option('--dry-run', 'print the plan only', false)
    .option('--force', 'continue during another rotation or while it is Degraded', false)
    .option('--timeout <duration>', 'stop watching after this time: 30m, 2h', durationArgument)
    .option('--kubeconfig <file>', kubeconfigHelp)
  const actions = {
    status: command
      .createOption('--status', 'print the status only; change nothing')
      .default(false),
    back: command.createOption('--back', 'go back to the previous CA').default(false),
    without: command
      .createOption('--without <nodes>', 'do not wait for these nodes: worker-3,worker-4')
      .argParser(nodesArgument),
  }
  command
    .addOption(actions.status.conflicts(['back', 'without', 'dryRun', 'force']))
    .addOption(actions.back.conflicts(['without']))
    .addOption(actions.without)
    .addOption(
      command
        .createOption(
          '-o, --output <format>',
          'output format; with --watch, one JSON document per line',
        )
        .choices(['text', 'json'])
        .default('text'),
    )
  return command.action(async (name: string | undefined, options: RotateOptions) => {
    const { runRotate } = await import('./run-rotate.ts')
    await runRotate(name, options, terminal)
  })
}

function nodesArgument(text: string): string[] {
  const all = [...new Set(text.split(',').map((each) => each.trim()))].filter(Boolean)
  if (all.length === 0) throw new InvalidArgumentError('Expected node names, separated by commas.')
  return all
}

function durationArgument(text: string): number {
  const ms = readDuration(text)
  if (!ms) throw new InvalidArgumentError('Expected a duration such as 30m or 1h30m.')
  return ms
}
