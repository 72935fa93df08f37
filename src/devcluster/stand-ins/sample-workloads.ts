import type { KubeClient } from '@machinist/kube/client/client'
import type { Deployment } from '@machinist/kube/kinds/apps'
import { deployments } from '@machinist/kube/kinds/apps'
import { namespaces } from '@machinist/kube/kinds/core'
import { podDisruptionBudgets } from '@machinist/kube/kinds/policy'
import { nodeRoleLabel, taints } from '../../api/labels.ts'
import { pools as builtIn } from '../../api/names.ts'
import type { ClusterSize } from '../size/cluster-size.ts'
import { createIfMissing } from '../objects/create-object.ts'

export const sampleNamespace = 'shop'

interface Sample {
  readonly name: string
  readonly pool: string
  readonly replicas: number
  readonly maxUnavailable: number
}

/** Creates workloads with disruption budgets on every pool, so that drains have pods to evict. */
export async function createSampleWorkloads(client: KubeClient, size: ClusterSize): Promise<void> {
  await createIfMissing(client, namespaces, { metadata: { name: sampleNamespace } })
  for (const sample of samplesFor(size)) {
    const { name, maxUnavailable } = sample
    const metadata = { namespace: sampleNamespace, name }
    await createIfMissing(client, deployments, deployment(sample))
    await createIfMissing(client, podDisruptionBudgets, {
      metadata,
      spec: { maxUnavailable, selector: { matchLabels: { app: name } } },
    })
  }
}

function samplesFor(size: ClusterSize): Sample[] {
  return [...size].flatMap(([pool, count]): Sample[] => {
    if (count === 0) return []
    if (pool === builtIn.master) return [{ name: 'desk', pool, replicas: count, maxUnavailable: 1 }]
    if (pool !== builtIn.worker)
      return [{ name: `${pool}-router`, pool, replicas: 2, maxUnavailable: 1 }]
    return [
      { name: 'web', pool, replicas: 2 * count, maxUnavailable: 2 },
      { name: 'cart', pool, replicas: 2, maxUnavailable: 1 },
    ]
  })
}

function deployment({ name, pool, replicas }: Sample): Deployment {
  const isControlPlane = pool === builtIn.master
  const tolerations = [{ key: taints.master, operator: 'Exists', effect: 'NoSchedule' } as const]
  return {
    metadata: { namespace: sampleNamespace, name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          nodeSelector: { [nodeRoleLabel(pool)]: '' },
          ...(isControlPlane && { tolerations }),
          containers: [{ name, image: `example.com/${name}:1` }],
        },
      },
    },
  }
}
