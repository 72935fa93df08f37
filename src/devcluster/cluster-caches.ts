import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import { nodeAnnotations } from '../api/annotations.ts'
import { conditionOf } from '../api/conditions.ts'
import type { TrustRotation } from '../api/kinds/trust-rotation.ts'
import { taints } from '../api/labels.ts'
import type {
  ControllerConfig,
  MachineConfig,
  MachineConfigNode,
  MachineConfigPool,
} from '../api/kinds/resources.ts'
import {
  controllerConfigs,
  machineConfigNodes,
  machineConfigPools,
  machineConfigs,
  trustRotations,
} from '../api/kinds/resources.ts'
import type { PlannedNode } from './size/cluster-size.ts'
import { waitUntil } from './objects/wait-until.ts'
import type { DevclusterTools } from './objects/tools.ts'

/** Caches of the objects that describe updates and rotations; they run until the signal aborts. */
export interface ClusterCaches {
  readonly pools: Informer<MachineConfigPool>
  readonly nodes: Informer<Node>
  readonly machineConfigNodes: Informer<MachineConfigNode>
  readonly rotations: Informer<TrustRotation>
  readonly controllerConfigs: Informer<ControllerConfig>
  readonly ended: Promise<unknown>
}

export function startClusterCaches(
  { client, ...tools }: DevclusterTools,
  signal: AbortSignal,
): ClusterCaches {
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

/** Waits for the rendered config of a pool and reads it, like the server for joining machines. */
export async function configFor(
  { client }: Pick<DevclusterTools, 'client'>,
  { pools }: ClusterCaches,
  pool: string,
  signal: AbortSignal,
): Promise<MachineConfig> {
  const rendered = (): string | undefined => pools.get(pool)?.spec.configuration?.name
  await waitUntil(pools, () => rendered() !== undefined, signal)
  const name = rendered()
  if (name === undefined) throw new Error(`stopped before pool ${pool} had a rendered config`)
  return await client.get(machineConfigs, { name }, { signal })
}

/** Resolves with true when all of these nodes are in service at once, with false if the signal aborts. */
export async function waitForNodes(
  { nodes: followed }: ClusterCaches,
  planned: readonly PlannedNode[],
  signal: AbortSignal,
): Promise<boolean> {
  const isUp = ({ name }: PlannedNode): boolean => isInService(followed.get(name))
  await waitUntil(followed, () => planned.every(isUp), signal)
  return !signal.aborted
}

/** Ready, with a config and without taints that keep pods away. */
export function isInService(node: Readonly<Node> | undefined): boolean {
  const isReady = conditionOf(node?.status?.conditions, 'Ready')?.status === 'True'
  const hasConfig = node?.metadata.annotations?.[nodeAnnotations.currentConfig] !== undefined
  const others = (node?.spec?.taints ?? []).filter(({ key }) => key !== taints.master)
  return isReady && hasConfig && others.length === 0
}
