import { sameJson } from '@machinist/core/encoding/json'
import type { KubeObject } from '@machinist/core/objects/resource'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import type { Change } from '@machinist/kube/informer/change'
import type { Informer, Lister } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import type { MachineConfigNode, MachineOSBuild } from '../../api/kinds/resources.ts'
import { conditionOf, nodeConditions } from '../../api/conditions.ts'
import { pools as builtIn } from '../../api/names.ts'
import { factsOf } from '../../fleet/rollout/node-facts.ts'
import type { RolloutCaches } from './gather.ts'
import type { Membership } from './membership.ts'
import type { RolloutMetrics } from './rollout-metrics.ts'
import { reportAnnotationChanges } from './report.ts'

/** The informers of the caches that a rollout reads. */
export type RolloutInformers = {
  readonly [Cache in keyof RolloutCaches]: InformerOf<NonNullable<RolloutCaches[Cache]>>
}

type InformerOf<Cache> = Cache extends Lister<infer T> ? Informer<T> : never

/** Maps changes to pools. Updates the membership first, so that it never lags behind the queue. */
export function rolloutInputs(
  informers: RolloutInformers,
  membership: Membership,
  metrics: RolloutMetrics,
  events: EventRecorder,
): Input[] {
  const {
    machineConfigs,
    machineConfigNodes,
    controllerConfigs,
    osConfigs,
    osBuilds,
    operatorPods,
  } = informers
  const all = (): string[] => informers.pools.list().map(({ metadata }) => metadata.name)
  const poolOfBuild = ({ object }: Change<MachineOSBuild>): string[] => {
    const config = osConfigs?.get(object.spec.machineOSConfig.name)
    return config ? [config.spec.machineConfigPool.name] : []
  }
  return [
    input({
      resource: 'MachineConfigPool',
      informer: informers.pools,
      relisted: all,
      keys: ({ type, object }) =>
        type === 'deleted'
          ? new Set([object.metadata.name, ...membership.removePool(object.metadata.name)])
          : withNeighbour(membership.putPool(object)),
    }),
    input({
      resource: 'Node',
      informer: informers.nodes,
      relisted: all,
      keys: (change) => {
        const pools = poolsOfNode(change, membership, metrics)
        const isOfMasters = poolOf(membership, change.object.metadata.name)[0] === builtIn.master
        const master = isOfMasters ? informers.pools.get(builtIn.master) : undefined
        if (master && change.type === 'updated') reportAnnotationChanges(events, master, change)
        return withNeighbour(pools)
      },
    }),
    // Read for first boots: the cache must be synced, but no change enqueues a pool.
    ...optionalInput(machineConfigs, 'MachineConfig', () => []),
    ...optionalInput(machineConfigNodes, 'MachineConfigNode', (change) =>
      hasNewConditions(change) ? poolOf(membership, change.object.metadata.name) : [],
    ),
    ...optionalInput(controllerConfigs, 'ControllerConfig', all),
    ...optionalInput(osConfigs, 'MachineOSConfig', ({ object }) => [
      object.spec.machineConfigPool.name,
    ]),
    ...optionalInput(osBuilds, 'MachineOSBuild', poolOfBuild),
    ...optionalInput(operatorPods, 'Pod', () => [builtIn.master]),
  ]
}

function poolsOfNode(
  change: Change<Node>,
  membership: Membership,
  metrics: RolloutMetrics,
): Set<string> {
  const { name, labels } = change.object.metadata
  if (change.type === 'deleted') {
    const pools = membership.removeNode(name)
    metrics.setAssignment(name, {})
    return pools
  }
  const pools = membership.putNode(name, labels)
  metrics.setAssignment(name, membership.assignment(name))
  return change.type === 'updated' && isIrrelevant(change) ? new Set() : pools
}

/** Heartbeats and other changes that a rollout does not read. */
function isIrrelevant({
  object,
  before,
}: {
  object: Readonly<Node>
  before: Readonly<Node>
}): boolean {
  const a = factsOf(before)
  const b = factsOf(object)
  return (
    sameJson({ ...a, version: '' }, { ...b, version: '' }) &&
    sameJson(before.metadata.labels, object.metadata.labels)
  )
}

/** Whether the drain or the drift of the node changed. */
function hasNewConditions(change: Change<MachineConfigNode>): boolean {
  if (change.type !== 'updated') return true
  const { drained, nodeDegraded } = nodeConditions
  const [now, before] = [change.object, change.before].map(({ status }) => {
    const { message, status: is } = conditionOf(status?.conditions, drained) ?? {}
    return [is, message, conditionOf(status?.conditions, nodeDegraded)?.reason]
  })
  return !sameJson(now, before)
}

function poolOf(membership: Membership, node: string): string[] {
  const { pool } = membership.assignment(node)
  return pool === undefined ? [] : [pool]
}

/** Control plane and arbiter wait for each other. */
function withNeighbour(pools: Set<string>): Set<string> {
  if (pools.has(builtIn.master)) pools.add(builtIn.arbiter)
  else if (pools.has(builtIn.arbiter)) pools.add(builtIn.master)
  return pools
}

function optionalInput<T extends KubeObject>(
  informer: Informer<T> | undefined,
  resource: string,
  keys: (change: Change<T>) => Iterable<string>,
): Input[] {
  return informer ? [input({ resource, informer, keys })] : []
}
