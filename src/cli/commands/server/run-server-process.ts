import { readdir } from 'node:fs/promises'
import type { ObjectReference } from '@machinist/core/objects/resource'
import { referenceTo } from '@machinist/core/objects/resource'
import { Recorder } from '@machinist/kube/events/recorder'
import { realFiles } from '@machinist/kube/connection/files'
import { machineConfigPools } from '../../../api/kinds/resources.ts'
import type { StartedTask, TaskTools } from '../../../process/component-process.ts'
import { runTask } from '../../../process/component-process.ts'
import { connect } from '../../../process/connect.ts'
import type { Terminal } from '../../../process/terminal.ts'
import { openAccess } from '../../../server/access/access.ts'
import { tokenAccess } from '../../../server/access/token-access.ts'
import { ClusterSource } from '../../../server/cluster/cluster-source.ts'
import { reportOpen } from '../../../server/cluster/open-condition.ts'
import { BootstrapCredential } from '../../../server/credential/bootstrap-credential.ts'
import { DirectorySource } from '../../../server/directory/directory-source.ts'
import { FollowedDirectory } from '../../../server/directory/follow-directory.ts'
import { DirectoryReader } from '../../../server/directory/read-directory.ts'
import type { ServerOptions } from '../../../server/run-server.ts'
import { runServer } from '../../../server/run-server.ts'
import type { ServerCommandOptions } from './server.ts'

export async function runServerProcess(
  options: ServerCommandOptions,
  terminal: Terminal,
): Promise<void> {
  const begin = options.from === undefined ? serveCluster : serveDirectory
  await runTask('server', options, terminal, (tools, signal) => begin(options, tools, signal))
}

type ServerTask = NonNullable<ServerOptions['tasks']>[number]

/** The ServiceAccount whose tokens new machines get. */
const bootstrapper = 'node-bootstrapper'

async function serveCluster(
  options: ServerCommandOptions,
  tools: TaskTools,
  signal: AbortSignal,
): Promise<StartedTask> {
  const { kubeconfig, namespace, apiServerUrl, open = false } = options
  const { metrics, log } = tools
  const { client, close } = await connect({ kubeconfig, metrics, logger: log })
  const source = new ClusterSource({ ...tools, client, ...(apiServerUrl && { apiServerUrl }) })
  const account = { namespace, name: bootstrapper }
  const credential = new BootstrapCredential({ ...tools, client, account })
  const tasks: ServerTask[] = [(until) => reportOpen({ ...tools, client }, open, until)]
  const served = { ...tools, ...listeners(options), source, credential }
  if (open) {
    log.info('serving configs to every client: --open')
    return { run: runServer({ ...served, access: openAccess, tasks }, signal), client, close }
  }
  const events = new Recorder({ ...tools, api: client, component: 'machine-config-server' })
  const poolOf = (name: string): ObjectReference | undefined => {
    const pool = source.current()?.pools.get(name)
    return pool && referenceTo(machineConfigPools, pool)
  }
  const { access, informer } = tokenAccess({ ...tools, client, events }, poolOf)
  tasks.push((until) => informer.start(until))
  const run = runServer({ ...served, access, tasks }, signal)
  return { run: { ...run, ended: endedWithEvents(run.ended, events) }, client, close }
}

/** The last events are sent before the process ends. */
async function endedWithEvents(ended: Promise<void>, events: Recorder): Promise<void> {
  try {
    await ended
  } finally {
    await events.close()
  }
}

/** Needs no cluster: `machinist bootstrap` wrote the directory, and the installer the kubeconfig. */
async function serveDirectory(
  options: ServerCommandOptions,
  tools: TaskTools,
  signal: AbortSignal,
): Promise<StartedTask> {
  const { from: directory = '', bootstrapKubeconfig: kubeconfig = '' } = options
  const files = { ...realFiles, list: (path: string) => readdir(path) }
  const reader = new DirectoryReader({ directory, kubeconfig, files })
  const source = new DirectorySource(new FollowedDirectory({ ...tools, reader }))
  const run = runServer({ ...tools, ...listeners(options), source, access: openAccess }, signal)
  return { run }
}

function listeners(options: ServerCommandOptions): Pick<ServerOptions, 'secure' | 'insecure'> {
  const { listen: address, tlsCert: cert, tlsKey: key, insecureListen } = options
  return {
    ...(cert !== undefined &&
      key !== undefined && { secure: { address, certificate: { cert, key }, files: realFiles } }),
    ...(insecureListen && { insecure: insecureListen }),
  }
}
