import { InvalidInput } from '@machinist/core/errors'
import { Command } from '../commander.ts'
import type { Terminal } from '../../process/terminal.ts'

interface PlanOptions {
  readonly from: string
  readonly to: string
  readonly policy?: string
  readonly rules?: '4.12' | '4.16' | 'policy'
  readonly registryDrain: boolean
  readonly output: 'json' | 'yaml' | 'text'
}

const fileHelp =
  'a rendered MachineConfig as YAML or JSON, or - for standard input; machinist render makes one'

export function planCommand(terminal: Terminal): Command {
  const command = new Command('plan')
    .description('say what a change of configuration will do to a node, and why; touches nothing')
    .requiredOption('--from <file>', `what the node has: ${fileHelp}`)
    .requiredOption('--to <file>', `what it is to have: ${fileHelp}`)
    .option(
      '--policy <file>',
      'a MachineConfiguration, or only its nodeDisruptionPolicy; the default policies without it',
    )
    .option(
      '--no-registry-drain',
      'as if the ConfigMap image-registry-override-drain were there: registries.conf drains no node',
    )
  command
    .addOption(
      command
        .createOption('--rules <rules>', 'which rules decide about actions (default: policy)')
        .choices(['4.12', '4.16', 'policy']),
    )
    .addOption(
      command
        .createOption('-o, --output <format>', 'how to print the plan')
        .choices(['json', 'yaml', 'text'])
        .default('text'),
    )
  return command.action(async (options: PlanOptions) => {
    const misuse = misuseOf(options)
    if (misuse !== undefined) command.error(misuse)
    // Only here: no other command needs the planner.
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
    return `--policy has no meaning under --rules ${rules}`
  }
  if (!registryDrain && rules === '4.12') {
    return '--no-registry-drain has no meaning under --rules 4.12'
  }
  return undefined
}
