import type { MachineConfigNode, MachineOSBuild } from '../../api/resources.ts'
import { conditionOf, nodeConditions } from '../../api/conditions.ts'
import { pools as builtIn } from '../../api/names.ts'
import { sameJson } from '@machinist/core/json'
import type { KubeObject } from '@machinist/core/resource'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import type { Change } from '@machinist/kube/informer/change'
import type { Informer, Lister } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import type { RolloutCaches } from './gather.ts'
import type { Membership } from './membership.ts'
import { factsOf } from '../../fleet/rollout/node-facts.ts'
import type { RolloutMetrics } from './rollout-metrics.ts'
import { tellAnnotations } from './telling.ts'

/** The informers that a rollout follows: those whose caches it reads. */
export type RolloutInformers = {
  readonly [Cache in keyof RolloutCaches]: InformerOf<NonNullable<RolloutCaches[Cache]>>
}

type InformerOf<Cache> = Cache extends Lister<infer T> ? Informer<T> : never

/** Whose work a change is. Membership is brought up to date on the way, so that it never lags behind the queue. */
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
        if (master && change.type === 'updated') tellAnnotations(events, master, change)
        return withNeighbour(pools)
      },
    }),
    // A node's first boot is looked up there, so it has to be known; but none of them makes work.
    ...given(machineConfigs, 'MachineConfig', () => []),
    ...given(machineConfigNodes, 'MachineConfigNode', (change) =>
      saysNews(change) ? poolOf(membership, change.object.metadata.name) : [],
    ),
    ...given(controllerConfigs, 'ControllerConfig', all),
    ...given(osConfigs, 'MachineOSConfig', ({ object }) => [object.spec.machineConfigPool.name]),
    ...given(osBuilds, 'MachineOSBuild', poolOfBuild),
    ...given(operatorPods, 'Pod', () => [builtIn.master]),
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
    metrics.placed(name, {})
    return pools
  }
  const pools = membership.putNode(name, labels)
  metrics.placed(name, membership.belonging(name))
  return change.type === 'updated' && saysTheSame(change) ? new Set() : pools
}

/** Heartbeats and the like: nothing that a rollout looks at. */
function saysTheSame({
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

/** About its drain, or since when it has drifted. */
function saysNews(change: Change<MachineConfigNode>): boolean {
  if (change.type !== 'updated') return true
  const { drained, nodeDegraded } = nodeConditions
  const [now, before] = [change.object, change.before].map(({ status }) => {
    const { message, status: is } = conditionOf(status?.conditions, drained) ?? {}
    return [is, message, conditionOf(status?.conditions, nodeDegraded)?.reason]
  })
  return !sameJson(now, before)
}

function poolOf(membership: Membership, node: string): string[] {
  const { pool } = membership.belonging(node)
  return pool === undefined ? [] : [pool]
}

/** Control plane and arbiter wait for each other. */
function withNeighbour(pools: Set<string>): Set<string> {
  if (pools.has(builtIn.master)) pools.add(builtIn.arbiter)
  else if (pools.has(builtIn.arbiter)) pools.add(builtIn.master)
  return pools
}

function given<T extends KubeObject>(
  informer: Informer<T> | undefined,
  resource: string,
  keys: (change: Change<T>) => Iterable<string>,
): Input[] {
  return informer ? [input({ resource, informer, keys })] : []
}
