import { nodeAnnotations } from '../api/annotations.ts'
import { conditionOf } from '../api/conditions.ts'
import type { TrustRotation } from '../api/kinds/trust-rotation.ts'
import { taints } from '../api/labels.ts'
import type {
  ControllerConfig,
  MachineConfig,
  MachineConfigNode,
  MachineConfigPool,
} from '../api/resources.ts'
import {
  controllerConfigs,
  machineConfigNodes,
  machineConfigPools,
  machineConfigs,
  trustRotations,
} from '../api/resources.ts'
import type { KubeObject, Resource } from '@machinist/core/resource'
import { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import type { PlannedNode } from './cluster-size.ts'
import { seen } from './stand-ins/seen.ts'
import type { Tools } from './stand-ins/stand-in-caches.ts'

/** What can be seen of the cluster's updates; followed until the signal aborts. */
export interface ClusterSight {
  readonly pools: Informer<MachineConfigPool>
  readonly nodes: Informer<Node>
  readonly machineConfigNodes: Informer<MachineConfigNode>
  readonly rotations: Informer<TrustRotation>
  readonly controllerConfigs: Informer<ControllerConfig>
  readonly ended: Promise<unknown>
}

export function clusterSight({ client, ...tools }: Tools, signal: AbortSignal): ClusterSight {
  const following: Promise<void>[] = []
  const follow = <T extends KubeObject>(resource: Resource<T>): Informer<T> => {
    const source = client.listWatch(resource)
    const informer = new Informer<T>({ ...tools, resource: resource.plural, source })
    following.push(informer.start(signal))
    return informer
  }
  return {
    pools: follow(machineConfigPools),
    nodes: follow(nodes),
    machineConfigNodes: follow(machineConfigNodes),
    rotations: follow(trustRotations),
    controllerConfigs: follow(controllerConfigs),
    ended: Promise.all(following),
  }
}

/** As the server for joining machines would: the config of its pool, as soon as there is one. */
export async function configFor(
  { client }: Pick<Tools, 'client'>,
  { pools }: ClusterSight,
  pool: string,
  signal: AbortSignal,
): Promise<MachineConfig> {
  const rendered = (): string | undefined => pools.get(pool)?.spec.configuration?.name
  await seen(pools, () => rendered() !== undefined, signal)
  const name = rendered()
  if (name === undefined) throw new Error('stopped before there was a config')
  return await client.get(machineConfigs, { name }, { signal })
}

/** Resolves when all of these are in service at once, or the signal aborts; tells which. */
export async function allJoined(
  { nodes: followed }: ClusterSight,
  planned: readonly PlannedNode[],
  signal: AbortSignal,
): Promise<boolean> {
  const isUp = ({ name }: PlannedNode): boolean => isInService(followed.get(name))
  await seen(followed, () => planned.every(isUp), signal)
  return !signal.aborted
}

/** Ready, in a config, and nothing speaks against it any more: only then it gets its share of the pods. */
export function isInService(node: Readonly<Node> | undefined): boolean {
  const isReady = conditionOf(node?.status?.conditions, 'Ready')?.status === 'True'
  const hasConfig = node?.metadata.annotations?.[nodeAnnotations.currentConfig] !== undefined
  const others = (node?.spec?.taints ?? []).filter(({ key }) => key !== taints.master)
  return isReady && hasConfig && others.length === 0
}
