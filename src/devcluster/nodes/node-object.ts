import { nodeLabels, nodeRoleLabel, taints } from '../../api/labels.ts'
import { pools as builtIn } from '../../api/names.ts'
import type { Clock } from '@machinist/core/clock'
import { timestamp } from '@machinist/core/timestamp'
import type { KubeClient } from '@machinist/kube/client'
import { isNotFound } from '@machinist/kube/failure'
import type { Node, NodeCondition } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import type { PlannedNode } from '../cluster-size.ts'
import { makeObject } from '../stand-ins/make-object.ts'

const zones = ['zone-a', 'zone-b', 'zone-c']

export async function nodeExists(client: KubeClient, name: string): Promise<boolean> {
  try {
    await client.getMetadata(nodes, { name })
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

/** As a kubelet registers itself. */
export async function registerNode(client: KubeClient, planned: PlannedNode): Promise<void> {
  await makeObject(client, nodes, nodeObject(planned))
}

function nodeObject({ name, pool, number }: PlannedNode): Node {
  const isControlPlane = pool === builtIn.master
  const roles = isControlPlane
    ? [nodeLabels.master, nodeLabels.controlPlane]
    : [nodeLabels.worker, nodeRoleLabel(pool)]
  return {
    metadata: {
      name,
      labels: {
        [nodeLabels.os]: 'linux',
        'kubernetes.io/hostname': name,
        [nodeLabels.zone]: zones[number % zones.length]!,
        ...Object.fromEntries(roles.map((role) => [role, ''])),
      },
    },
    ...(isControlPlane && { spec: { taints: [{ key: taints.master, effect: 'NoSchedule' }] } }),
  }
}

export interface Health {
  readonly ready: 'True' | 'False' | 'Unknown'
  readonly why: string
  readonly bootId: string
}

const readyReasons: Record<Health['ready'], string> = {
  True: 'KubeletReady',
  False: 'KubeletNotReady',
  Unknown: 'NodeStatusUnknown',
}

/** As a kubelet tells how its machine is; and for one that is down, as the cluster notices it. */
export async function tellHealth(
  client: KubeClient,
  clock: Clock,
  { name, address }: PlannedNode,
  health: Health,
): Promise<void> {
  const time = timestamp(clock.now())
  const of = (
    type: string,
    is: Health['ready'],
    reason: string,
    message: string,
  ): NodeCondition => ({
    type,
    status: is,
    reason,
    message,
    lastHeartbeatTime: time,
    lastTransitionTime: time,
  })
  const { ready, why, bootId } = health
  const status: Node['status'] = {
    conditions: [
      of('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'there is memory left'),
      of('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'there is room left on the disk'),
      of('PIDPressure', 'False', 'KubeletHasSufficientPID', 'there is room for processes'),
      of('Ready', ready, readyReasons[ready], why),
    ],
    addresses: [
      { type: 'InternalIP', address },
      { type: 'Hostname', address: name },
    ],
    capacity: { cpu: '4', memory: '16Gi', pods: '250' },
    allocatable: { cpu: '4', memory: '15Gi', pods: '250' },
    nodeInfo: {
      bootID: bootId,
      machineID: name,
      systemUUID: name,
      kernelVersion: '6.11.0-sandbox',
      osImage: 'Sandbox',
      operatingSystem: 'linux',
      architecture: 'amd64',
      containerRuntimeVersion: 'cri-o://1.32.0',
      kubeletVersion: 'v1.32.4',
    },
  }
  await client.patch(nodes, { name }, mergePatch({ status }), { subresource: 'status' })
}
