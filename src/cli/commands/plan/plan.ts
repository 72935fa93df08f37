import { InvalidInput } from '@machinist/core/errors'
import { Command } from '../../options/commander.ts'
import type { Terminal } from '../../../process/terminal.ts'

interface PlanOptions {
  readonly from: string
  readonly to: string
  readonly policy?: string
  readonly rules?: '4.12' | '4.16' | 'policy'
  readonly registryDrain: boolean
  readonly output: 'json' | 'yaml' | 'text'
}

const fileHelp =
  'rendered MachineConfig as YAML or JSON, or - for standard input; machinist render prints one'

export function planCommand(terminal: Terminal): Command {
  const command = new Command('plan')
    .description('show what a configuration change does to a node, and why; changes nothing')
    .requiredOption('--from <file>', `current config: ${fileHelp}`)
    .requiredOption('--to <file>', `desired config: ${fileHelp}`)
    .option(
      '--policy <file>',
      'MachineConfiguration, or only its nodeDisruptionPolicy (default: the default policies)',
    )
    .option(
      '--no-registry-drain',
      'plan as if the ConfigMap image-registry-override-drain existed: changes of registries.conf do not drain',
    )
  command
    .addOption(
      command
        .createOption('--rules <rules>', 'rules that decide about actions (default: policy)')
        .choices(['4.12', '4.16', 'policy']),
    )
    .addOption(
      command
        .createOption('-o, --output <format>', 'output format')
        .choices(['json', 'yaml', 'text'])
        .default('text'),
    )
  return command.action(async (options: PlanOptions) => {
    const misuse = misuseOf(options)
    if (misuse !== undefined) command.error(misuse)
    // Loaded on demand: no other command needs the planner.
    const { printPlan, readPlanInput } = await import('./plan-offline.ts')
    const input = await readPlanInput(options, terminal)
    const { text, problem } = printPlan(input, options.output)
    terminal.out(text)
    if (problem !== undefined) throw new InvalidInput(problem)
  })
}

function misuseOf({
  from,
  to,
  policy,
  rules = 'policy',
  registryDrain,
}: PlanOptions): string | undefined {
  if ([from, to, policy].filter((file) => file === '-').length > 1) {
    return 'standard input can be read only once'
  }
  if (policy !== undefined && rules !== 'policy') {
    return `--policy has no effect with --rules ${rules}`
  }
  if (!registryDrain && rules === '4.12') {
    return '--no-registry-drain has no effect with --rules 4.12'
  }
  return undefined
}
