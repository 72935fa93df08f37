import { Command, InvalidArgumentError, Option } from '../../options/commander.ts'
import { addPageOptions, kubeconfigHelp } from '../../options/component-options.ts'
import { listenArgument } from '../../options/listen-argument.ts'
import type { PageOptions } from '../../../process/component-options.ts'
import type { Address } from '../../../process/pages.ts'
import type { Terminal } from '../../../process/terminal.ts'

export interface ServerCommandOptions extends PageOptions {
  readonly kubeconfig?: string
  readonly namespace: string
  readonly from?: string
  readonly bootstrapKubeconfig?: string
  readonly listen: Address
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly insecureListen?: Address
  readonly open?: boolean
  readonly apiServerUrl?: string
}

export function serverCommand(terminal: Terminal): Command {
  const command = new Command('server')
    .summary('run the machine config server')
    .description(
      'run the machine config server: give new machines the Ignition config of their pool, with the current CAs and a short-lived credential; every instance is active',
    )
    .option('--kubeconfig <file>', kubeconfigHelp)
    .option(
      '--namespace <name>',
      'namespace of the ServiceAccount node-bootstrapper',
      'openshift-machine-config-operator',
    )
    .option(
      '--from <dir>',
      'serve the output of machinist bootstrap instead of a cluster, while the cluster is installed; requires --open and --bootstrap-kubeconfig',
    )
    .option(
      '--bootstrap-kubeconfig <file>',
      'kubeconfig that new machines get, with --from; read again when it changes',
    )
    .addOption(
      new Option(
        '--listen <host:port>',
        'address that serves configs over TLS; :port listens on all addresses',
      )
        .argParser(listenArgument)
        .default({ host: '', port: 22623 }, ':22623'),
    )
    .option('--tls-cert <file>', 'certificate of the server, as PEM; read again when it changes')
    .option('--tls-key <file>', 'key of the certificate, as PEM')
    .option(
      '--insecure-listen <host:port>',
      'address that serves configs without TLS: everyone on the network can read them; MCO uses :22624',
      listenArgument,
    )
    .option('--open', 'give every client a config, without a provisioning token')
    .option(
      '--api-server-url <url>',
      'URL of the API server for new machines (default: the internal URL in the ControllerConfig)',
      urlArgument,
    )
  return addPageOptions(command).action(async (options: ServerCommandOptions) => {
    const { tlsCert, tlsKey, insecureListen, from, open, bootstrapKubeconfig } = options
    if ((from === undefined) !== (bootstrapKubeconfig === undefined)) {
      command.error("error: '--from <dir>' and '--bootstrap-kubeconfig <file>' belong together")
    }
    if (from !== undefined && !open) {
      command.error(
        "error: a directory has no provisioning tokens: add '--open' to give every client a config",
      )
    }
    if ((tlsCert === undefined) !== (tlsKey === undefined)) {
      command.error("error: '--tls-cert <file>' and '--tls-key <file>' belong together")
    }
    if (tlsCert === undefined && !insecureListen) {
      command.error("error: name the certificate with '--tls-cert <file>' and '--tls-key <file>'")
    }
    const { runServerProcess } = await import('./run-server-process.ts')
    await runServerProcess(options, terminal)
  })
}

function urlArgument(text: string): string {
  const url = URL.parse(text)
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new InvalidArgumentError('Expected a URL, such as https://api-int.example:6443.')
  }
  return text
}
