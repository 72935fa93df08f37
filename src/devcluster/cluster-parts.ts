import { join } from 'node:path'
import { sleep, systemClock } from '@machinist/core/clock'
import { Metrics } from '@machinist/core/metrics'
import { systemRandom } from '@machinist/core/random'
import type { KubeClient } from '@machinist/kube/client/client'
import { isNotFound } from '@machinist/kube/failure'
import type { EmbeddedApi } from '@machinist/apiserver/embedded/embedded-api'
import { imageRegistryKinds, kinds } from '../api/definitions/kinds.ts'
import { machineConfigBuild } from '../api/maker.ts'
import { namespaces, pools as builtIn } from '../api/names.ts'
import { machineConfigPools } from '../api/kinds/resources.ts'
import type { TemplateSet } from '../controllers/template/template-set.ts'
import { connect } from '../process/connect.ts'
import { installKinds } from '../process/install-kinds.ts'
import { electionTiming } from '../process/lead.ts'
import { leadControllers } from '../process/lead-controllers.ts'
import { leadOperator } from '../process/lead-operator.ts'
import { leadSigner } from '../process/lead-signer.ts'
import { loadTemplates } from '../process/templates.ts'
import { version } from '../process/version.ts'
import type { Cluster, ClusterOptions } from './cluster.ts'
import type { ClusterCaches } from './cluster-caches.ts'
import { waitForNodes, startClusterCaches, configFor } from './cluster-caches.ts'
import type { ClusterSize } from './size/cluster-size.ts'
import { plannedNodes } from './size/cluster-size.ts'
import { createClusterObjects } from './installation/cluster-stand-in.ts'
import { acceleratedClock } from './accelerated-clock.ts'
import { waitForInstallation } from './installation/installation.ts'
import { runStandIns } from './stand-ins/run-stand-ins.ts'
import { createSampleWorkloads } from './stand-ins/sample-workloads.ts'
import type { SandboxNodeOptions } from './nodes/sandbox-node.ts'
import { runSandboxNode } from './nodes/sandbox-node.ts'
import { waitUntil } from './objects/wait-until.ts'
import { syncServingCertificate } from './installation/serving-sync.ts'
import type { DevclusterTools } from './objects/tools.ts'

export interface PartsOptions extends Omit<ClusterOptions, 'size' | 'apiIsUp'> {
  readonly size: ClusterSize
  readonly api: EmbeddedApi
}

/** Duration of a reboot. */
const bootMs = 8000

/** How long the CAs of the API server must be unchanged before they are delivered to nodes. */
const settleMs = 60_000

/** How long a start waits for the pools of the operator. */
const poolsTimeoutMs = 20_000

/** Starts everything that works with the API. */
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
    running.push(work.catch((error: unknown) => log.error('component failed', error, { what })))
  }
  const stopAll = async (): Promise<void> => {
    stop.abort()
    await Promise.all(running)
    close()
  }
  try {
    await waitForKinds(client)
    const delivery = options.delivery && { delivery: options.delivery }
    const sources = { client, clock: systemClock, authority, hostnames, speed }
    await createClusterObjects({ ...sources, ...delivery }, size)
  } catch (error) {
    await stopAll()
    throw error
  }
  const clock = acceleratedClock(systemClock, speed)
  const tools: DevclusterTools = { client, clock, random: systemRandom, log, metrics }
  const caches = startClusterCaches(tools, stop.signal)
  keep('caches', caches.ended)
  keep('stand-ins', runStandIns(tools, stop.signal))
  keep('signer', runSigner(tools, stop.signal))
  keep('serving certificate', syncServingCertificate(tools, api, stop.signal))
  const installed = waitForInstallation(tools, stop.signal)
  keep('installation', installed)
  // With rendered delivery, a config that is rendered before the certificates exist is rendered twice.
  const before = options.delivery === 'rendered' ? installed : Promise.resolve()
  const operation = { ...tools, settleMs: settleMs / speed }
  keep(
    'operator',
    before.then(() => runOperator(operation, stop.signal)),
  )
  if (options.controllers ?? true)
    keep('controllers', runControllers({ ...tools, templates }, stop.signal))
  keep('workloads', createWorkloads(tools, caches, size, stop.signal))
  for (const node of plannedNodes(size)) {
    const directory = join(data, 'nodes')
    const config = (pool: string, signal: AbortSignal) => configFor(tools, caches, pool, signal)
    const context = { directory, bootMs, nodes: caches.nodes, apiCA: api.ca, configFor: config }
    keep(`node ${node.name}`, runNode(options, { ...tools, ...context, node }, stop.signal))
  }
  await waitForPools(caches, stop.signal)
  return { client, caches, stop: stopAll }
}

/** Uses the context of this cluster, because the user can change the current one. */
const reached = ({ kubeconfig, context }: EmbeddedApi) => ({ kubeconfig, context })

/** With an audit sink, each daemon has its own connection, so that its requests can be attributed. */
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

/** A fixed identity: only one process works on a data directory, and it must not wait for its own Lease after a restart. */
const identity = 'machinist-up'
const leadership = { namespace: namespaces.operator, identity, timing: electionTiming(15) }
const instance = { instance: identity, namespace: namespaces.operator }

function runOperator(
  tools: DevclusterTools & { settleMs: number },
  signal: AbortSignal,
): Promise<void> {
  return leadOperator({ ...tools, ...instance, version }, leadership, signal).ended
}

/** Uses the real clock: it waits for other processes, and the validity of certificates must not be accelerated. */
function runSigner(tools: DevclusterTools, signal: AbortSignal): Promise<void> {
  return leadSigner({ ...tools, clock: systemClock, instance: identity }, leadership, signal).ended
}

function runControllers(
  tools: DevclusterTools & { templates: TemplateSet },
  signal: AbortSignal,
): Promise<void> {
  const maker = { version, build: machineConfigBuild(version) }
  return leadControllers({ ...tools, ...instance, maker }, leadership, signal).ended
}

/** The hints for the user name pools, so they should exist. After a timeout the status shows what is missing. */
async function waitForPools({ pools }: ClusterCaches, signal: AbortSignal): Promise<void> {
  const late = new AbortController()
  const cancel = systemClock.after(poolsTimeoutMs, () => late.abort())
  const exist = (): boolean => [builtIn.master, builtIn.worker].every((pool) => pools.get(pool))
  await waitUntil(pools, exist, AbortSignal.any([signal, late.signal]))
  cancel()
}

/** Waits for all nodes, because otherwise the first node would get all pods. */
async function createWorkloads(
  { client }: DevclusterTools,
  caches: ClusterCaches,
  size: ClusterSize,
  signal: AbortSignal,
): Promise<void> {
  if (await waitForNodes(caches, plannedNodes(size), signal))
    await createSampleWorkloads(client, size)
}

/** Waits until the API server serves the kinds: that takes a moment after they are stored. */
async function waitForKinds(client: KubeClient): Promise<void> {
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
