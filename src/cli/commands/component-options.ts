import type { Command } from '../commander.ts'
import { InvalidArgumentError } from '../commander.ts'
import { listenArgument } from './listen-argument.ts'

export const secureMetricsOption = [
  '--secure-metrics [dir]',
  'serve metrics over TLS, with tls.crt and tls.key in this directory if they are there, and to those only who may get /metrics',
] as const

export function addComponentOptions(command: Command): Command {
  return command
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
    .option(
      '--metrics-listen <host:port>',
      'where to serve /metrics; :port for all addresses',
      listenArgument,
    )
    .option(
      '--health-listen <host:port>',
      'where to serve /healthz, /livez and /readyz; may be the same',
      listenArgument,
    )
    .option(...secureMetricsOption)
}

export function seconds(least: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (text.trim() === '' || !(number >= least) || number > 86_400)
      throw new InvalidArgumentError(`Say a number of seconds from ${least} on.`)
    return number
  }
}
