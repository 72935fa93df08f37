import { InvalidInput, Waiting } from '@machinist/core/errors'
import type { CallOptions, KubeClient } from '@machinist/kube/client/client'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import { ignoreNotFound } from '@machinist/kube/failure'
import { daemonSets } from '@machinist/kube/kinds/apps'
import type { Node, Pod } from '@machinist/kube/kinds/core'
import { nodes, pods } from '@machinist/kube/kinds/core'
import { conditionOf, nodeConditions } from '../../api/conditions.ts'
import type { DrainBlocker } from '../../fleet/drain/blockers.ts'
import { parseBlockers } from '../../fleet/drain/blockers.ts'
import type { DrainFacts } from './facts.ts'
import type { DrainCaches } from './inputs.ts'
import { daemonSetOf, isFinished, podsToEvict } from './pods-to-evict.ts'
import { cordonedRecord } from './record.ts'
import { pendingRequest } from './request.ts'
import type { DrainSettings } from './settings.ts'
import { defaultSettings, settingsOf } from './settings.ts'
import { requestMs, shortPauseMs } from './timing.ts'
import { poolWithoutTurn } from './turn.ts'

/** The facts about a node and its pods; undefined if the node does not exist. */
export async function gather(
  name: string,
  caches: DrainCaches,
  { client, clock, signal }: Pick<StepContext, 'client' | 'clock' | 'signal'>,
): Promise<DrainFacts | undefined> {
  const node = await readNode(name, { client, signal })
  if (!node) return undefined
  const requested = await requestFacts(node, caches, client, { signal, timeoutMs: requestMs })
  return { ...requested, node, reported: reportedBlockers(caches, name), now: clock.now() }
}

/** The node from the API server: a decision on a stale node could revert the change of another writer. */
export function readNode(
  name: string,
  { client, signal }: Pick<StepContext, 'client' | 'signal'>,
): Promise<Node | undefined> {
  return ignoreNotFound(client.get(nodes, { name }, { signal, timeoutMs: requestMs }))
}

/** Throws Waiting if the DrainPolicy of the node's pool is invalid. */
export function settingsFor(
  { poolOf, drainPolicies }: Pick<DrainCaches, 'poolOf' | 'drainPolicies'>,
  node: Readonly<Node>,
): DrainSettings {
  const pool = poolOf(node)
  try {
    return settingsOf(pool === undefined ? undefined : drainPolicies.get(pool))
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw new Waiting('InvalidDrainPolicy', error.message, shortPauseMs)
  }
}

/** The blockers of the current drain in the MachineConfigNode of a node. */
export function reportedBlockers(
  { machineConfigNodes }: Pick<DrainCaches, 'machineConfigNodes'>,
  node: string,
): DrainBlocker[] {
  const { conditions } = machineConfigNodes.get(node)?.status ?? {}
  const drained = conditionOf(conditions, nodeConditions.drained)
  return drained?.status === 'Unknown' ? parseBlockers(drained.message) : []
}

type RequestFacts = Omit<DrainFacts, 'node' | 'reported' | 'now'>
type PodFacts = Pick<DrainFacts, 'pods' | 'missingDaemonSets'>
const noPods: PodFacts = { pods: [], missingDaemonSets: new Set() }

/** Reads nothing if no drain is requested. */
async function requestFacts(
  node: Readonly<Node>,
  caches: DrainCaches,
  client: KubeClient,
  call: CallOptions,
): Promise<RequestFacts> {
  if (pendingRequest(node)?.verb !== 'drain') return { settings: defaultSettings, ...noPods }
  try {
    const settings = settingsFor(caches, node)
    const { name } = node.metadata
    if (cordonedRecord(node)) {
      return { settings, ...(await podsOn(name, settings, caches, client, call)) }
    }
    const pool = await poolWithoutTurn(node, caches, client, call)
    return { settings, ...noPods, ...(pool !== undefined && { poolWithoutTurn: pool }) }
  } catch (readFailure) {
    return { settings: defaultSettings, ...noPods, readFailure }
  }
}

/**
 * A list at resourceVersion 0 is enough to continue, and the API server answers it from its cache. Only a consistent list proves
 * that no pod is left.
 */
async function podsOn(
  node: string,
  { skip }: DrainSettings,
  caches: DrainCaches,
  client: KubeClient,
  call: CallOptions,
): Promise<PodFacts> {
  const cached = await listPods(node, caches, client, { ...call, resourceVersion: '0' })
  const remaining = podsToEvict(cached.pods, { ...cached, skip })
  return remaining.length > 0 ? cached : listPods(node, caches, client, call)
}

async function listPods(
  node: string,
  caches: DrainCaches,
  client: KubeClient,
  options: CallOptions & { readonly resourceVersion?: string },
): Promise<PodFacts> {
  const found: Pod[] = []
  const { signal, timeoutMs } = options
  const fields = `spec.nodeName=${node}`
  for await (const pod of client.listAll(pods, { ...options, fields })) found.push(pod)
  const missing = await missingDaemonSets(found, caches, client, { signal, timeoutMs })
  return { pods: found, missingDaemonSets: missing }
}

async function missingDaemonSets(
  found: readonly Pod[],
  caches: DrainCaches,
  client: KubeClient,
  call: CallOptions,
): Promise<Set<string>> {
  const owners = found.filter((pod) => !isFinished(pod)).flatMap((pod) => daemonSetOf(pod) ?? [])
  const missing = new Set<string>()
  for (const owner of new Set(owners)) {
    if (caches.daemonSets.get(owner) || (await daemonSetExists(client, owner, call))) continue
    missing.add(owner)
  }
  return missing
}

/** The cache may be stale, so the API server is asked before a pod is evicted. */
async function daemonSetExists(
  client: KubeClient,
  owner: string,
  call: CallOptions,
): Promise<boolean> {
  const [namespace = '', name = ''] = owner.split('/')
  const found = await ignoreNotFound(client.getMetadata(daemonSets, { namespace, name }, call))
  return found !== undefined
}
