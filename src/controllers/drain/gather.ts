import { conditionOf, nodeConditions } from '../../api/conditions.ts'
import type { CallOptions, KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound } from '@machinist/kube/failure'
import { daemonSets } from '@machinist/kube/kinds/apps'
import type { Node, Pod } from '@machinist/kube/kinds/core'
import { nodes, pods } from '@machinist/kube/kinds/core'
import type { DrainBlocker } from '../../fleet/drain/blockers.ts'
import { parseBlockers } from '../../fleet/drain/blockers.ts'
import { cordonedRecord } from './decide.ts'
import { daemonSetOf, isFinished, podsToEvict } from './pods-to-evict.ts'
import type { DrainFacts } from './facts.ts'
import { pendingRequest } from './request.ts'
import type { DrainSettings } from './settings.ts'
import { defaultSettings, settingsOf } from './settings.ts'
import { poolWithoutTurn } from './turn.ts'
import type { DrainContext } from './context.ts'

/** The facts about a node and its pods. */
export async function gather(
  context: DrainContext,
  node: Readonly<Node> | undefined,
  call: CallOptions,
): Promise<DrainFacts> {
  const isRequested = node !== undefined && pendingRequest(node)?.verb === 'drain'
  const settings = isRequested ? settingsFor(context, node) : defaultSettings
  const begun = cordonedRecord(node) !== undefined
  const found = node && begun ? await podsOn(context, node.metadata.name, settings, call) : noPods
  const reported = node ? reportedBlockers(context, node.metadata.name) : []
  const without = isRequested && !begun ? await poolWithoutTurn(context, node, call) : undefined
  return {
    now: context.clock.now(),
    node,
    settings,
    ...(without !== undefined && { poolWithoutTurn: without }),
    ...found,
    reported,
  }
}

/** The blockers of the current drain in the MachineConfigNode of a node. */
export function reportedBlockers(
  { machineConfigNodes }: DrainContext,
  node: string,
): DrainBlocker[] {
  const { conditions } = machineConfigNodes.get(node)?.status ?? {}
  const drained = conditionOf(conditions, nodeConditions.drained)
  return drained?.status === 'Unknown' ? parseBlockers(drained.message) : []
}

/** The node from the API server: a decision on a stale node could revert the change of another writer. */
export function readNode(
  client: KubeClient,
  name: string,
  call: CallOptions,
): Promise<Node | undefined> {
  return ignoreNotFound(client.get(nodes, { name }, call))
}

export function settingsFor(context: DrainContext, node: Readonly<Node>): DrainSettings {
  const pool = context.poolOf(node)
  return settingsOf(pool === undefined ? undefined : context.drainPolicies.get(pool))
}

type PodFacts = Pick<DrainFacts, 'pods' | 'missingDaemonSets'>
const noPods: PodFacts = { pods: [], missingDaemonSets: new Set() }

/**
 * A list at resourceVersion 0 is enough to continue, and the API server answers it from its cache. Only a consistent list proves
 * that no pod is left.
 */
async function podsOn(
  context: DrainContext,
  node: string,
  { skip }: DrainSettings,
  call: CallOptions,
): Promise<PodFacts> {
  const cached = await listPods(context, node, { ...call, resourceVersion: '0' })
  const remaining = podsToEvict(cached.pods, { ...cached, skip })
  return remaining.length > 0 ? cached : listPods(context, node, call)
}

async function listPods(
  context: DrainContext,
  node: string,
  options: CallOptions & { readonly resourceVersion?: string },
): Promise<PodFacts> {
  const found: Pod[] = []
  const { signal, timeoutMs } = options
  const fields = `spec.nodeName=${node}`
  for await (const pod of context.client.listAll(pods, { ...options, fields })) found.push(pod)
  const missing = await missingDaemonSets(context, found, { signal, timeoutMs })
  return { pods: found, missingDaemonSets: missing }
}

async function missingDaemonSets(
  context: DrainContext,
  found: readonly Pod[],
  call: CallOptions,
): Promise<Set<string>> {
  const owners = found.filter((pod) => !isFinished(pod)).flatMap((pod) => daemonSetOf(pod) ?? [])
  const missing = new Set<string>()
  for (const owner of new Set(owners)) {
    if (context.daemonSets.get(owner) || (await daemonSetExists(context.client, owner, call)))
      continue
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
