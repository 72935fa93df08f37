import type { Command } from './commander.ts'
import { InvalidArgumentError } from './commander.ts'
import { listenArgument } from './listen-argument.ts'

export const secureMetricsOption = [
  '--secure-metrics [dir]',
  'serve metrics over TLS, to clients with permission to get /metrics; use tls.crt and tls.key of this directory if they exist',
] as const

export const kubeconfigHelp = 'path to the kubeconfig file (default: the same as kubectl)'

export function addComponentOptions(command: Command): Command {
  command
    .option('--kubeconfig <file>', kubeconfigHelp)
    .option(
      '--namespace <name>',
      'namespace of the Lease and of the pods of the operator',
      'openshift-machine-config-operator',
    )
    .option('--no-leader-election', 'start without a Lease; safe only if no other instance runs')
    .option(
      '--lease-seconds <seconds>',
      'duration of the Lease: how long other instances wait for a leader that disappeared; 20 is enough if the API server is highly available',
      secondsArgument(3),
      137,
    )
  return addPageOptions(command)
}

/** Where a component serves health and metrics. */
export function addPageOptions(command: Command): Command {
  return command
    .option(
      '--metrics-listen <host:port>',
      'address that serves /metrics; :port listens on all addresses',
      listenArgument,
    )
    .option(
      '--health-listen <host:port>',
      'address that serves /healthz, /livez and /readyz; can be the same',
      listenArgument,
    )
    .option(...secureMetricsOption)
}

export function secondsArgument(minimum: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (text.trim() === '' || !(number >= minimum) || number > 86_400)
      throw new InvalidArgumentError(`Expected a number of seconds, at least ${minimum}.`)
    return number
  }
}
