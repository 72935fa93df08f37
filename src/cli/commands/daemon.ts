import { quantityValue } from '@machinist/core/quantity'
import type { DriftPolicy } from '../../daemon/drift/drift-policy.ts'
import type { RuleSource } from '../../daemon/follow/rule-source.ts'
import { Command, InvalidArgumentError } from '../commander.ts'
import type { Terminal } from '../../process/terminal.ts'
import { secureMetricsOption } from './component-options.ts'
import type { DaemonRunOptions, MachineChoice } from './daemon-run.ts'
import { listenArgument } from './listen-argument.ts'

type Said = Partial<DaemonRunOptions> & MachineChoice

export function daemonCommand(terminal: Terminal): Command {
  const command = withMachine(new Command('daemon'))
    .description('follow a Node and keep this machine in the config that it shall be in')
    .option('--node <name>', 'the Node that this machine is (default: NODE_NAME)')
    .option(
      '--kubeconfig <file>',
      "where the cluster is; 'auto' takes the kubelet's own (default: as kubectl finds it)",
    )
    .option(
      '--node-kubeconfig <file>',
      "with whose credentials the Node is written: a file of the machine, or 'auto' (default: as --kubeconfig)",
    )
    .option(
      '--kubelet-health <url>',
      "where the kubelet tells its health, or 'off' (default: http://localhost:10248/healthz for linux)",
    )
    .option(
      '--rules <generation>',
      `what decides about drains and reboots: ${ruleSources.join(', ')}`,
      oneOf(ruleSources),
      'policy',
    )
    .option(
      '--drift <policy>',
      `what to do when the disk is not as its config says: ${driftPolicies.join(', ')}`,
      oneOf(driftPolicies),
      'report',
    )
    .option(
      '--ignore-drift <path>',
      'a file, directory or pattern that others change; may be given several times',
      (path: string, before: readonly string[] | undefined) => [...(before ?? []), path],
    )
    .option(
      '--pull-secrets <dir>',
      'where pull secrets are mounted, one directory per role (default: /run/secrets/os-image-pull-secrets for linux)',
    )
    .option(
      '--keep-free <quantity>',
      'how much of the disk pinned images leave free (default: 16Gi)',
      bytesArgument,
    )
    .option(
      '--metrics <host:port>',
      'where to serve metrics for Prometheus, and health; :port for all addresses',
      listenArgument,
    )
    .option(...secureMetricsOption)
    .action(async (said: Said) => {
      const node = said.node ?? process.env['NODE_NAME']
      if (!node) return command.error("error: say which Node this machine is with '--node <name>'")
      demandRoot(command, said)
      const { runDaemonProcess } = await import('./daemon-run.ts')
      await runDaemonProcess({ ...(said as DaemonRunOptions), node }, terminal)
    })
  return command.addCommand(firstBootCommand(terminal))
}

function firstBootCommand(terminal: Terminal): Command {
  const command = withMachine(new Command('first-boot'))
    .description('bring a new machine to the OS that its config wants, before it joins')
    .action(async (_said: unknown, self: Command) => {
      const said: MachineChoice = self.optsWithGlobals()
      demandRoot(command, said)
      const { runFirstBoot } = await import('./daemon-first-boot.ts')
      await runFirstBoot(said, terminal)
    })
  return command
}

function withMachine(command: Command): Command {
  return command
    .option('--host <kind>', 'the machine: linux, or sandbox, a directory', oneOf(hosts), 'linux')
    .option('--root <dir>', 'where its root is (default: / for linux)')
}

const hosts: readonly MachineChoice['host'][] = ['linux', 'sandbox']
const ruleSources: readonly RuleSource[] = ['4.12', '4.16', 'policy']
const driftPolicies: readonly DriftPolicy[] = ['report', 'heal', 'block']

function demandRoot(command: Command, { host, root }: MachineChoice): void {
  if (host === 'sandbox' && root === undefined) {
    command.error("error: say where the sandbox is with '--root <dir>'")
  }
}

function bytesArgument(text: string): number {
  const bytes = Number(quantityValue(text) ?? -1)
  if (bytes < 0) throw new InvalidArgumentError('Say a size such as 16Gi.')
  return bytes
}

function oneOf<T extends string>(choices: readonly T[]): (text: string) => T {
  return (text) => {
    const choice = choices.find((each) => each === text)
    if (choice === undefined) throw new InvalidArgumentError(`Say one of ${choices.join(', ')}.`)
    return choice
  }
}
