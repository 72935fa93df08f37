import { quantityValue } from '@machinist/core/objects/quantity'
import type { DriftPolicy } from '../../../daemon/drift/drift-policy.ts'
import type { RuleSource } from '../../../daemon/follow/rule-source.ts'
import { Command, InvalidArgumentError } from '../../options/commander.ts'
import type { Terminal } from '../../../process/terminal.ts'
import { secureMetricsOption } from '../../options/component-options.ts'
import { listenArgument } from '../../options/listen-argument.ts'
import type { DaemonRunOptions, MachineChoice } from './run-daemon.ts'

type DaemonFlags = Partial<DaemonRunOptions> & MachineChoice

export function daemonCommand(terminal: Terminal): Command {
  const command = withMachine(new Command('daemon'))
    .description("run the node daemon: apply the Node's desired MachineConfig to this machine")
    .option('--node <name>', 'name of the Node of this machine (default: $NODE_NAME)')
    .option(
      '--kubeconfig <file>',
      "path to the kubeconfig file, or 'auto' for the kubelet's (default: the same as kubectl)",
    )
    .option(
      '--node-kubeconfig <file>',
      "kubeconfig file on the machine with the credentials that write the Node, or 'auto' for the kubelet's (default: --kubeconfig)",
    )
    .option(
      '--kubelet-health <url>',
      "health endpoint of the kubelet, or 'off' (default: http://localhost:10248/healthz for linux)",
    )
    .option(
      '--rules <generation>',
      `rules that decide about drains and reboots: ${ruleSources.join(', ')}`,
      oneOf(ruleSources),
      'policy',
    )
    .option(
      '--drift <policy>',
      `action when the disk differs from the current config: ${driftPolicies.join(', ')}`,
      oneOf(driftPolicies),
      'report',
    )
    .option(
      '--ignore-drift <path>',
      'file, directory or pattern to exclude from drift detection; repeatable',
      (path: string, before: readonly string[] | undefined) => [...(before ?? []), path],
    )
    .option(
      '--pull-secrets <dir>',
      'directory of mounted pull secrets, one directory per role (default: /run/secrets/os-image-pull-secrets for linux)',
    )
    .option(
      '--keep-free <quantity>',
      'disk space that pinned images must leave free (default: 16Gi)',
      bytesArgument,
    )
    .option(
      '--metrics <host:port>',
      'address that serves metrics and health; :port listens on all addresses',
      listenArgument,
    )
    .option(...secureMetricsOption)
    .action(async (flags: DaemonFlags) => {
      const node = flags.node ?? process.env['NODE_NAME']
      if (!node) return command.error("error: name the Node of this machine with '--node <name>'")
      requireRoot(command, flags)
      const { runDaemonProcess } = await import('./run-daemon.ts')
      await runDaemonProcess({ ...(flags as DaemonRunOptions), node }, terminal)
    })
  return command.addCommand(firstBootCommand(terminal))
}

function firstBootCommand(terminal: Terminal): Command {
  const command = withMachine(new Command('first-boot'))
    .description('bring a new machine to the OS image of its config, before it joins the cluster')
    .action(async (_flags: unknown, self: Command) => {
      const machine: MachineChoice = self.optsWithGlobals()
      requireRoot(command, machine)
      const { runFirstBoot } = await import('./run-first-boot.ts')
      await runFirstBoot(machine, terminal)
    })
  return command
}

function withMachine(command: Command): Command {
  return command
    .option(
      '--host <kind>',
      'kind of machine: linux, or sandbox (a directory)',
      oneOf(hosts),
      'linux',
    )
    .option('--root <dir>', 'root directory of the machine (default: / for linux)')
}

const hosts: readonly MachineChoice['host'][] = ['linux', 'sandbox']
const ruleSources: readonly RuleSource[] = ['4.12', '4.16', 'policy']
const driftPolicies: readonly DriftPolicy[] = ['report', 'heal', 'block']

function requireRoot(command: Command, { host, root }: MachineChoice): void {
  if (host === 'sandbox' && root === undefined) {
    command.error("error: name the directory of the sandbox with '--root <dir>'")
  }
}

function bytesArgument(text: string): number {
  const bytes = Number(quantityValue(text) ?? -1)
  if (bytes < 0) throw new InvalidArgumentError('Expected a size such as 16Gi.')
  return bytes
}

function oneOf<T extends string>(choices: readonly T[]): (text: string) => T {
  return (text) => {
    const choice = choices.find((each) => each === text)
    if (choice === undefined)
      throw new InvalidArgumentError(`Expected one of ${choices.join(', ')}.`)
    return choice
  }
}
