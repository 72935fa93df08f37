import { join } from 'node:path'
import { namespaces } from '../../api/names.ts'
import { machineConfigPools } from '../../api/resources.ts'
import { sleep, systemClock } from '../../base/clock.ts'
import { Metrics } from '../../base/metrics.ts'
import { systemRandom } from '../../base/random.ts'
import type { TemplateSet } from '../../controllers/template/template-set.ts'
import type { KubeClient } from '../../kube/client.ts'
import { isNotFound } from '../../kube/failure.ts'
import { connect } from '../connect.ts'
import { installKinds } from '../install-kinds.ts'
import { leadControllers, timingOf } from '../lead-controllers.ts'
import { loadTemplates } from '../templates.ts'
import { version } from '../version.ts'
import type { Cluster, ClusterOptions } from './cluster.ts'
import type { ClusterSight } from './cluster-sight.ts'
import { allJoined, clusterSight, configFor } from './cluster-sight.ts'
import type { ClusterSize } from './cluster-size.ts'
import { plannedNodes } from './cluster-size.ts'
import { hurriedClock } from './hurried-clock.ts'
import { standInForOperator } from './operator-stand-in.ts'
import { runStandIns } from './run-stand-ins.ts'
import { makeSampleWorkloads } from './sample-workloads.ts'
import { runSandboxNode } from './sandbox-node.ts'
import type { Tools } from './stand-in-caches.ts'

export interface PartsOptions extends Omit<ClusterOptions, 'size' | 'apiIsUp'> {
  readonly size: ClusterSize
  readonly kubeconfig: string
}

/** How long a machine takes from going down to being back. */
const bootMs = 8000

/** Everything that works on the API. */
export async function startParts(options: PartsOptions): Promise<Omit<Cluster, 'api'>> {
  const { data, size, log, kubeconfig, speed = 1 } = options
  const templates = await loadTemplates(options.templates)
  await installKinds(kubeconfig)
  const metrics = new Metrics()
  const { client, close } = await connect({ kubeconfig, metrics, logger: log })
  const stop = new AbortController()
  const running: Promise<unknown>[] = []
  const keep = (what: string, work: Promise<unknown>): void => {
    running.push(work.catch((error: unknown) => log.error('a part has ended', error, { what })))
  }
  const stopAll = async (): Promise<void> => {
    stop.abort()
    await Promise.all(running)
    close()
  }
  try {
    await served(client)
    await standInForOperator(client, size)
  } catch (error) {
    await stopAll()
    throw error
  }
  const clock = hurriedClock(systemClock, speed)
  const tools: Tools = { client, clock, random: systemRandom, log, metrics }
  const sight = clusterSight(tools, stop.signal)
  keep('sight', sight.ended)
  keep('stand-ins', runStandIns(tools, stop.signal))
  if (options.controllers ?? true) keep('controllers', lead({ ...tools, templates }, stop.signal))
  keep('workloads', workloads(tools, sight, size, stop.signal))
  for (const node of plannedNodes(size)) {
    const directory = join(data, 'nodes')
    const config = (pool: string, signal: AbortSignal) => configFor(tools, sight, pool, signal)
    const machine = { ...tools, directory, node, bootMs, configFor: config }
    keep(`node ${node.name}`, runSandboxNode(machine, stop.signal))
  }
  return { client, sight, stop: stopAll }
}

/** Only one process works on a data directory, so it is always the same candidate, and need not wait for itself. */
function lead(tools: Tools & { templates: TemplateSet }, signal: AbortSignal): Promise<void> {
  const identity = 'machinist-up'
  const namespace = namespaces.operator
  const maker = { version, build: version }
  return leadControllers(
    { ...tools, maker, instance: identity, namespace },
    { namespace, identity, timing: timingOf(15) },
    signal,
  ).ended
}

/** Not before there is a choice of nodes, or the first one would get everything. */
async function workloads(
  { client }: Tools,
  sight: ClusterSight,
  size: ClusterSize,
  signal: AbortSignal,
): Promise<void> {
  if (await allJoined(sight, plannedNodes(size), signal)) await makeSampleWorkloads(client, size)
}

/** A definition is served a moment after it was stored. */
async function served(client: KubeClient): Promise<void> {
  for (;;) {
    try {
      await client.list(machineConfigPools, { limit: 1 })
      return
    } catch (error) {
      if (!isNotFound(error)) throw error
      await sleep(systemClock, 10)
    }
  }
}
