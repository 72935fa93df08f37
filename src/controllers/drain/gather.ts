import { conditionOf, nodeConditions } from '../../api/conditions.ts'
import type { CallOptions, KubeClient } from '@machinist/kube/client'
import { ifThere } from '@machinist/kube/failure'
import { daemonSets } from '@machinist/kube/kinds/apps'
import type { Node, Pod } from '@machinist/kube/kinds/core'
import { nodes, pods } from '@machinist/kube/kinds/core'
import type { Blocker } from '../../fleet/drain/blockers.ts'
import { blockersIn } from '../../fleet/drain/blockers.ts'
import { cordonedRecord } from './decide.ts'
import { daemonSetOf, isFinished, podsToLeave } from './departures.ts'
import type { Facts } from './facts.ts'
import { pendingRequest } from './request.ts'
import type { Settings } from './settings.ts'
import { defaultSettings, settingsOf } from './settings.ts'
import { poolWithoutTurn } from './turn.ts'
import type { DrainWorld } from './world.ts'

/** Everything that is known about a node and the pods on it. */
export async function gather(
  world: DrainWorld,
  node: Readonly<Node> | undefined,
  call: CallOptions,
): Promise<Facts> {
  const isAsked = node !== undefined && pendingRequest(node)?.verb === 'drain'
  const settings = isAsked ? settingsFor(world, node) : defaultSettings
  const begun = cordonedRecord(node) !== undefined
  const seen = node && begun ? await podsOn(world, node.metadata.name, settings, call) : nobody
  const told = node ? toldBlockers(world, node.metadata.name) : []
  const without = isAsked && !begun ? await poolWithoutTurn(world, node, call) : undefined
  return {
    now: world.clock.now(),
    node,
    settings,
    ...(without !== undefined && { poolWithoutTurn: without }),
    ...seen,
    told,
  }
}

/** Whom the MachineConfigNode of a node names as in the way of the drain under way. */
export function toldBlockers({ machineConfigNodes }: DrainWorld, node: string): Blocker[] {
  const { conditions } = machineConfigNodes.get(node)?.status ?? {}
  const drained = conditionOf(conditions, nodeConditions.drained)
  return drained?.status === 'Unknown' ? blockersIn(drained.message) : []
}

/** The node as the server has it: what is decided upon an older one could undo what somebody has done since. */
export function nodeNow(
  client: KubeClient,
  name: string,
  call: CallOptions,
): Promise<Node | undefined> {
  return ifThere(client.get(nodes, { name }, call))
}

export function settingsFor(world: DrainWorld, node: Readonly<Node>): Settings {
  const pool = world.poolOf(node)
  return settingsOf(pool === undefined ? undefined : world.drainPolicies.get(pool))
}

type Seen = Pick<Facts, 'pods' | 'missingDaemonSets'>
const nobody: Seen = { pods: [], missingDaemonSets: new Set() }

/**
 * The server's cache is good enough to go on by, and finds a node's pods without looking at all others. That nobody is
 * left counts only when the newest state says it.
 */
async function podsOn(
  world: DrainWorld,
  node: string,
  { skip }: Settings,
  call: CallOptions,
): Promise<Seen> {
  const cached = await look(world, node, { ...call, resourceVersion: '0' })
  const remaining = podsToLeave(cached.pods, { ...cached, skip })
  return remaining.length > 0 ? cached : look(world, node, call)
}

async function look(
  world: DrainWorld,
  node: string,
  options: CallOptions & { readonly resourceVersion?: string },
): Promise<Seen> {
  const found: Pod[] = []
  const { signal, timeoutMs } = options
  const fields = `spec.nodeName=${node}`
  for await (const pod of world.client.listAll(pods, { ...options, fields })) found.push(pod)
  const missing = await missingDaemonSets(world, found, { signal, timeoutMs })
  return { pods: found, missingDaemonSets: missing }
}

async function missingDaemonSets(
  world: DrainWorld,
  found: readonly Pod[],
  call: CallOptions,
): Promise<Set<string>> {
  const owners = found.filter((pod) => !isFinished(pod)).flatMap((pod) => daemonSetOf(pod) ?? [])
  const missing = new Set<string>()
  for (const owner of new Set(owners)) {
    if (world.daemonSets.get(owner) || (await daemonSetExists(world.client, owner, call))) continue
    missing.add(owner)
  }
  return missing
}

/** The cache may only be behind: asked before a pod pays for it. */
async function daemonSetExists(
  client: KubeClient,
  owner: string,
  call: CallOptions,
): Promise<boolean> {
  const [namespace = '', name = ''] = owner.split('/')
  const found = await ifThere(client.getMetadata(daemonSets, { namespace, name }, call))
  return found !== undefined
}
