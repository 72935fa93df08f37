import type { Release } from '../../api/validation/extensions.ts'
import { Command, InvalidArgumentError } from '../commander.ts'
import type { Address } from '../pages.ts'
import type { Terminal } from '../terminal.ts'
import { addressArgument } from './apiserver.ts'

export interface ControllerOptions {
  readonly kubeconfig?: string
  readonly namespace: string
  readonly leaderElection: boolean
  readonly leaseSeconds: number
  readonly metricsListen?: Address
  readonly healthListen?: Address
  readonly templates?: readonly string[]
  readonly release: Release
  readonly keepRendered: number
  readonly renderWindow: number
}

export function controllerCommand(terminal: Terminal): Command {
  const command = new Command('controller')
    .description(
      'run the controllers: templates, rendering, rollout, drains. Of several, the one with the lease works',
    )
    .option('--kubeconfig <file>', 'where the cluster is (default: as kubectl finds it)')
    .option(
      '--namespace <name>',
      'where the lease and the operator’s own pods are',
      'openshift-machine-config-operator',
    )
    .option('--no-leader-election', 'work at once, without a lease: nobody else may work')
    .option(
      '--lease-seconds <seconds>',
      'how long others wait for one that is gone; a third of a minute is enough where the API is always there',
      seconds(3),
      137,
    )
    .option('--metrics-listen <host:port>', 'where to serve /metrics', addressArgument)
    .option(
      '--health-listen <host:port>',
      'where to serve /healthz, /livez and /readyz; may be the same',
      addressArgument,
    )
    .option(
      '--templates <dir>',
      'a directory of templates over those that come along; may be given several times',
      (path: string, before: readonly string[] | undefined) => [...(before ?? []), path],
    )
    .option('--keep-rendered <count>', 'rendered configs kept per pool, used or not', count, 10)
    .option(
      '--render-window <seconds>',
      'how long changes are collected before they are rendered',
      seconds(0),
      5,
    )
  command.addOption(
    command
      .createOption('--release <release>', 'whose rules of order and merge hold')
      .choices(['4.12', '4.16', 'main'])
      .default('main'),
  )
  return command.action(async (options: ControllerOptions) => {
    const { runControllerProcess } = await import('./controller-run.ts')
    await runControllerProcess(options, terminal)
  })
}

function seconds(least: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (text.trim() === '' || !(number >= least) || number > 86_400)
      throw new InvalidArgumentError(`Say a number of seconds from ${least} on.`)
    return number
  }
}

function count(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Say a number, 0 or more.')
  return Number(text)
}
