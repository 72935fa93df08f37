import { join } from 'node:path'
import { imageRegistryKinds, kinds } from '../api/kinds.ts'
import { machineConfigBuild } from '../api/maker.ts'
import { namespaces, pools as builtIn } from '../api/names.ts'
import { machineConfigPools } from '../api/resources.ts'
import { sleep, systemClock } from '@machinist/core/clock'
import { Metrics } from '@machinist/core/metrics'
import { systemRandom } from '@machinist/core/random'
import type { TemplateSet } from '../controllers/template/template-set.ts'
import type { KubeClient } from '@machinist/kube/client'
import { isNotFound } from '@machinist/kube/failure'
import { connect } from '../process/connect.ts'
import type { EmbeddedApi } from '@machinist/apiserver/embedded/embedded-api'
import { installKinds } from '../process/install-kinds.ts'
import { timingOf } from '../process/lead.ts'
import { leadControllers } from '../process/lead-controllers.ts'
import { leadOperator } from '../process/lead-operator.ts'
import { leadSigner } from '../process/lead-signer.ts'
import { loadTemplates } from '../process/templates.ts'
import { version } from '../process/version.ts'
import type { Cluster, ClusterOptions } from './cluster.ts'
import type { ClusterSight } from './cluster-sight.ts'
import { allJoined, clusterSight, configFor } from './cluster-sight.ts'
import type { ClusterSize } from './cluster-size.ts'
import { plannedNodes } from './cluster-size.ts'
import { standInForCluster } from './installation/cluster-stand-in.ts'
import { hurriedClock } from './hurried-clock.ts'
import { awaitInstallation } from './installation/installation.ts'
import { runStandIns } from './stand-ins/run-stand-ins.ts'
import { makeSampleWorkloads } from './stand-ins/sample-workloads.ts'
import type { SandboxNodeOptions } from './nodes/sandbox-node.ts'
import { runSandboxNode } from './nodes/sandbox-node.ts'
import { seen } from './stand-ins/seen.ts'
import { followServing } from './installation/serving-sync.ts'
import type { Tools } from './stand-ins/stand-in-caches.ts'

export interface PartsOptions extends Omit<ClusterOptions, 'size' | 'apiIsUp'> {
  readonly size: ClusterSize
  readonly api: EmbeddedApi
}

/** How long a machine takes from going down to being back. */
const bootMs = 8000

/** How long the API server's CAs must have been the same before nodes are given them. */
const settleMs = 60_000

/** How long a start waits for what the operator makes first. */
const longestStartMs = 20_000

/** Everything that works on the API. */
export async function startParts(options: PartsOptions): Promise<Omit<Cluster, 'api' | 'size'>> {
  const { data, size, log, api, speed = 1 } = options
  const { kubeconfig, hostnames, authority } = api
  const templates = await loadTemplates(options.templates)
  await installKinds(kubeconfig, [...kinds, ...imageRegistryKinds])
  const metrics = new Metrics()
  const { client, close } = await connect({ ...reached(api), metrics, logger: log })
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
    const delivery = options.delivery && { delivery: options.delivery }
    const sources = { client, clock: systemClock, authority, hostnames, speed }
    await standInForCluster({ ...sources, ...delivery }, size)
  } catch (error) {
    await stopAll()
    throw error
  }
  const clock = hurriedClock(systemClock, speed)
  const tools: Tools = { client, clock, random: systemRandom, log, metrics }
  const sight = clusterSight(tools, stop.signal)
  keep('sight', sight.ended)
  keep('stand-ins', runStandIns(tools, stop.signal))
  keep('signer', sign(tools, stop.signal))
  keep('serving certificate', followServing(tools, api, stop.signal))
  const installed = awaitInstallation(tools, stop.signal)
  keep('installation', installed)
  // Where certificates come with configs, whoever renders before they are there renders twice.
  const before = options.delivery === 'rendered' ? installed : Promise.resolve()
  const operation = { ...tools, settleMs: settleMs / speed }
  keep(
    'operator',
    before.then(() => operate(operation, stop.signal)),
  )
  if (options.controllers ?? true)
    keep('controllers', control({ ...tools, templates }, stop.signal))
  keep('workloads', workloads(tools, sight, size, stop.signal))
  for (const node of plannedNodes(size)) {
    const directory = join(data, 'nodes')
    const config = (pool: string, signal: AbortSignal) => configFor(tools, sight, pool, signal)
    const world = { directory, bootMs, nodes: sight.nodes, apiCA: api.ca, configFor: config }
    keep(`node ${node.name}`, runNode(options, { ...tools, ...world, node }, stop.signal))
  }
  await poolsAreMade(sight, stop.signal)
  return { client, sight, stop: stopAll }
}

/** By its own context, whichever one the user makes the current one in the meantime. */
const reached = ({ kubeconfig, context }: EmbeddedApi) => ({ kubeconfig, context })

/** Its daemon has a connection of its own where somebody wants to know who asks for what. */
async function runNode(
  { audit, api, log }: PartsOptions,
  machine: SandboxNodeOptions,
  signal: AbortSignal,
): Promise<void> {
  if (!audit) return runSandboxNode(machine, signal)
  const { client, close } = await connect({
    ...reached(api),
    logger: log,
    caller: machine.node.name,
  })
  try {
    await runSandboxNode({ ...machine, daemonClient: client }, signal)
  } finally {
    close()
  }
}

/** Only one process works on a data directory, so it is always the same candidate, and need not wait for itself. */
const identity = 'machinist-up'
const leadership = { namespace: namespaces.operator, identity, timing: timingOf(15) }
const place = { instance: identity, namespace: namespaces.operator }

function operate(tools: Tools & { settleMs: number }, signal: AbortSignal): Promise<void> {
  return leadOperator({ ...tools, ...place, version }, leadership, signal).ended
}

/** By the time that is: what it waits for is loaded by others, and how long certificates live is not to be hurried. */
function sign(tools: Tools, signal: AbortSignal): Promise<void> {
  const { instance } = place
  return leadSigner({ ...tools, clock: systemClock, instance }, leadership, signal).ended
}

function control(tools: Tools & { templates: TemplateSet }, signal: AbortSignal): Promise<void> {
  const maker = { version, build: machineConfigBuild(version) }
  return leadControllers({ ...tools, ...place, maker }, leadership, signal).ended
}

/** Whoever reads what to try next shall find them. The operator is quick; if it is not, the status says what there is. */
async function poolsAreMade({ pools }: ClusterSight, signal: AbortSignal): Promise<void> {
  const late = new AbortController()
  const cancel = systemClock.after(longestStartMs, () => late.abort())
  const areThere = (): boolean => [builtIn.master, builtIn.worker].every((pool) => pools.get(pool))
  await seen(pools, areThere, AbortSignal.any([signal, late.signal]))
  cancel()
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
