import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { nodeAnnotations } from '../../src/api/annotations.ts'
import { conditionOf } from '../../src/api/conditions.ts'
import { parseSize } from '../../src/devcluster/size/cluster-size.ts'
import type { NodeFault } from '../../src/views/status/node-fault.ts'
import {
  applyFile,
  bootIds,
  currentConfig,
  example,
  nodesOf,
  rendered,
  RunningCluster,
  settled,
  targetOf,
} from './running-cluster.ts'
import { until } from './until.ts'

let cluster: RunningCluster
beforeAll(async () => {
  cluster = await RunningCluster.start({ size: parseSize('1,2') })
  await settled(cluster.client, 'worker', 2)
}, 120_000)
afterAll(() => cluster.stop(), 60_000)

const annotation = 'sandbox.machinist.dev/fault'

async function injectFault(name: string, fault: NodeFault | null): Promise<void> {
  const patch = mergePatch({ metadata: { annotations: { [annotation]: fault } } })
  await cluster.client.patch(nodes, { name }, patch)
}

async function isReady(name: string, status: string, reason: string): Promise<boolean> {
  const node = await cluster.client.get(nodes, { name })
  const ready = conditionOf(node.status?.conditions, 'Ready')
  return ready?.status === status && ready.reason === reason
}

describe('a sandbox node with a fault', { timeout: 240_000 }, () => {
  it('is lost while its power is off, and boots when it is back', async () => {
    const before = bootIds(await nodesOf(cluster.client, 'worker'))
    await injectFault('worker-0', 'power-off')
    await until('the node is lost', () => isReady('worker-0', 'Unknown', 'NodeStatusUnknown'))
    await injectFault('worker-0', null)
    await until('the node is back', () => isReady('worker-0', 'True', 'KubeletReady'))
    const after = bootIds(await nodesOf(cluster.client, 'worker'))
    expect(after[0]).not.toBe(before[0])
    expect(after[1]).toBe(before[1])
  })

  it('is NotReady without a reboot while its kubelet is stopped', async () => {
    const before = bootIds(await nodesOf(cluster.client, 'worker'))
    await injectFault('worker-0', 'not-ready')
    await until('the node is not ready', () => isReady('worker-0', 'False', 'KubeletNotReady'))
    await injectFault('worker-0', null)
    await until('the node is ready', () => isReady('worker-0', 'True', 'KubeletReady'))
    expect(bootIds(await nodesOf(cluster.client, 'worker'))).toEqual(before)
  })

  it('fails an update on a full disk, and continues when there is space again', async () => {
    const before = await targetOf(cluster.client, 'worker')
    for (const name of ['worker-0', 'worker-1']) await injectFault(name, 'full-disk')
    await applyFile(cluster, example('kernel-argument'))
    const target = await rendered(cluster.client, 'worker', before)
    await until('a node reports the full disk', async () => {
      const members = await nodesOf(cluster.client, 'worker')
      return members.some(({ metadata }) =>
        metadata.annotations?.[nodeAnnotations.reason]?.includes('no space left'),
      )
    })
    for (const name of ['worker-0', 'worker-1']) await injectFault(name, null)
    await settled(cluster.client, 'worker', 2, target)
    const members = await nodesOf(cluster.client, 'worker')
    expect(members.map(currentConfig)).toEqual([target, target])
  })
})
