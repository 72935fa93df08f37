import { readDuration } from '@machinist/core/duration'
import { Command, InvalidArgumentError } from '../commander.ts'
import type { Terminal } from '../../process/terminal.ts'

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
    .description(
      'give a CA a successor that every node trusts before it signs anything: tells what will happen, then does it',
    )
    .argument('[name]', 'the TrustRotation; may be left out if it is clear which one is meant')
    .option('--watch', 'follow it until it is completed', false)
    .option('--dry-run', 'only tell what would happen', false)
    .option('--force', 'also while another rotation is under way, or something is wrong', false)
    .option('--timeout <duration>', 'follow it no longer than this: 30m, 2h', duration)
    .option('--kubeconfig <file>', 'where the cluster is (default: as kubectl finds it)')
  const actions = {
    status: command.createOption('--status', 'only look: nothing is changed').default(false),
    back: command.createOption('--back', 'go back to the previous CA').default(false),
    without: command
      .createOption('--without <nodes>', 'do not wait for these nodes: worker-3,worker-4')
      .argParser(names),
  }
  command
    .addOption(actions.status.conflicts(['back', 'without', 'dryRun', 'force']))
    .addOption(actions.back.conflicts(['without']))
    .addOption(actions.without)
    .addOption(
      command
        .createOption('-o, --output <format>', 'how to print it; with --watch, JSON in lines')
        .choices(['text', 'json'])
        .default('text'),
    )
  return command.action(async (name: string | undefined, options: RotateOptions) => {
    const { runRotate } = await import('./rotate-run.ts')
    await runRotate(name, options, terminal)
  })
}

function names(text: string): string[] {
  const all = [...new Set(text.split(',').map((each) => each.trim()))].filter(Boolean)
  if (all.length === 0) throw new InvalidArgumentError('Say which nodes, with commas in between.')
  return all
}

function duration(text: string): number {
  const ms = readDuration(text)
  if (!ms) throw new InvalidArgumentError('Say a duration such as 30m or 1h30m.')
  return ms
}
