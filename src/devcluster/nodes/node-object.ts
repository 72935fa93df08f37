import type { Clock } from '@machinist/core/clock'
import { timestamp } from '@machinist/core/timestamp'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Node, NodeCondition } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { nodeLabels, nodeRoleLabel, taints } from '../../api/labels.ts'
import { pools as builtIn } from '../../api/names.ts'
import type { PlannedNode } from '../size/cluster-size.ts'
import { createIfMissing } from '../objects/create-object.ts'

const zones = ['zone-a', 'zone-b', 'zone-c']

/** Registers the Node like a kubelet. */
export async function registerNode(client: KubeClient, planned: PlannedNode): Promise<void> {
  await createIfMissing(client, nodes, nodeObject(planned))
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

export interface NodeHealth {
  readonly ready: 'True' | 'False' | 'Unknown'
  readonly why: string
  readonly bootId: string
}

const readyReasons: Record<NodeHealth['ready'], string> = {
  True: 'KubeletReady',
  False: 'KubeletNotReady',
  Unknown: 'NodeStatusUnknown',
}

/** Reports the conditions of a node like its kubelet; for a node that is down, like the node lifecycle controller. */
export async function reportHealth(
  client: KubeClient,
  clock: Clock,
  { name, address }: PlannedNode,
  health: NodeHealth,
): Promise<void> {
  const time = timestamp(clock.now())
  const condition = (
    type: string,
    conditionStatus: NodeHealth['ready'],
    reason: string,
    message: string,
  ): NodeCondition => ({
    type,
    status: conditionStatus,
    reason,
    message,
    lastHeartbeatTime: time,
    lastTransitionTime: time,
  })
  const { ready, why, bootId } = health
  const status: Node['status'] = {
    conditions: [
      condition(
        'MemoryPressure',
        'False',
        'KubeletHasSufficientMemory',
        'kubelet has sufficient memory available',
      ),
      condition(
        'DiskPressure',
        'False',
        'KubeletHasNoDiskPressure',
        'kubelet has no disk pressure',
      ),
      condition(
        'PIDPressure',
        'False',
        'KubeletHasSufficientPID',
        'kubelet has sufficient PID available',
      ),
      condition('Ready', ready, readyReasons[ready], why),
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
