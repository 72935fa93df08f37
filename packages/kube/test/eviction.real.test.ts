import { beforeAll, expect, it } from 'vitest'
import { clientFrom, freshNamespace } from '@machinist/testing/clusters/real-client'
import { describeOnRealCluster } from '@machinist/testing/clusters/real-cluster'
import type { KubeClient } from '../src/client/client.ts'
import { evict } from '../src/nodes/eviction.ts'
import { isNotFound } from '../src/failure.ts'
import type { Pod } from '../src/kinds/core.ts'
import { pods } from '../src/kinds/core.ts'
import { podDisruptionBudgets } from '../src/kinds/policy.ts'
import { mergePatch } from '../src/patch.ts'

describeOnRealCluster('eviction on a real API server', (cluster) => {
  let client: KubeClient
  let namespace: string

  beforeAll(async () => {
    client = await clientFrom(cluster.kubeconfig)
    namespace = await freshNamespace(client)
  })

  /** A pod with the status of a running pod: there is no kubelet. */
  const running = async (name: string, app: string): Promise<Pod> => {
    await client.create(pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace, labels: { app } },
      spec: { nodeName: 'worker-1', containers: [{ name: 'c', image: 'i' }] },
    })
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
    const key = { namespace, name }
    return client.patch(pods, key, mergePatch({ status }), { subresource: 'status' })
  }

  /** A budget with a status: there is no disruption controller. */
  const budget = async (app: string, name: string, disruptionsAllowed: number): Promise<void> => {
    await client.create(podDisruptionBudgets, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name, namespace },
      spec: { minAvailable: 1, selector: { matchLabels: { app } } },
    })
    const status = {
      observedGeneration: 1,
      disruptionsAllowed,
      currentHealthy: 1,
      desiredHealthy: 1,
      expectedPods: 1,
    }
    await client.patch(podDisruptionBudgets, { namespace, name }, mergePatch({ status }), {
      subresource: 'status',
    })
  }

  it('a pod without a budget is evicted within its grace period', async () => {
    const pod = await running('free', 'free')
    expect(await evict(client, pod.metadata)).toEqual({ outcome: 'evicted' })
    // The pod is only marked as deleted, because there is no kubelet.
    const leaving = await client.get(pods, { namespace, name: 'free' })
    expect(leaving.metadata.deletionGracePeriodSeconds).toBe(30)
    expect(await evict(client, pod.metadata, { graceSeconds: 0 })).toEqual({ outcome: 'evicted' })
    const gone = await client
      .get(pods, { namespace, name: 'free' })
      .catch((error: unknown) => error)
    expect(isNotFound(gone)).toBe(true)
  })

  it('a budget blocks, and then allows', async () => {
    const pod = await running('web-1', 'web')
    await budget('web', 'web', 0)
    expect(await evict(client, pod.metadata)).toEqual({
      outcome: 'blocked',
      message: 'The disruption budget web needs 1 healthy pods and has 1 currently',
    })
    const allow = mergePatch({
      status: { disruptionsAllowed: 1, currentHealthy: 2, expectedPods: 2 },
    })
    await client.patch(podDisruptionBudgets, { namespace, name: 'web' }, allow, {
      subresource: 'status',
    })
    expect(await evict(client, pod.metadata, { dryRun: true })).toEqual({ outcome: 'evicted' })
    expect(
      (await client.get(pods, { namespace, name: 'web-1' })).metadata.deletionTimestamp,
    ).toBeUndefined()
    expect(await evict(client, pod.metadata)).toEqual({ outcome: 'evicted' })
    const { status } = await client.get(podDisruptionBudgets, { namespace, name: 'web' })
    expect(status?.disruptionsAllowed).toBe(0)
    expect(Object.keys(status?.disruptedPods ?? {})).toEqual(['web-1'])
  })

  it('two budgets for one pod are refused', async () => {
    const pod = await running('torn', 'torn')
    await budget('torn', 'one', 1)
    await budget('torn', 'two', 1)
    expect(await evict(client, pod.metadata)).toEqual({
      outcome: 'refused',
      code: 500,
      message:
        'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    })
  })

  it('only the pod with the given UID is evicted', async () => {
    const pod = await running('reborn', 'reborn')
    const other = '00000000-0000-0000-0000-000000000000'
    expect(await evict(client, pod.metadata, { uid: other })).toEqual({ outcome: 'gone' })
    expect(await evict(client, { namespace, name: 'nobody' })).toEqual({ outcome: 'gone' })
    expect(await evict(client, pod.metadata, { uid: pod.metadata.uid! })).toEqual({
      outcome: 'evicted',
    })
  })
})
