import { nodeRoleLabel, taints } from '../../api/labels.ts'
import { pools as builtIn } from '../../api/names.ts'
import type { KubeClient } from '@machinist/kube/client'
import type { Deployment } from '@machinist/kube/kinds/apps'
import { deployments } from '@machinist/kube/kinds/apps'
import { namespaces } from '@machinist/kube/kinds/core'
import { podDisruptionBudgets } from '@machinist/kube/kinds/policy'
import type { ClusterSize } from '../cluster-size.ts'
import { makeObject } from './make-object.ts'

export const sampleNamespace = 'shop'

interface Sample {
  readonly name: string
  readonly pool: string
  readonly replicas: number
  /** How many of them may be away at once. */
  readonly mayBeAway: number
}

/** Something that runs on every pool, so that drains have something to do and budgets to respect. */
export async function makeSampleWorkloads(client: KubeClient, size: ClusterSize): Promise<void> {
  await makeObject(client, namespaces, { metadata: { name: sampleNamespace } })
  for (const sample of samplesFor(size)) {
    const { name, mayBeAway } = sample
    const metadata = { namespace: sampleNamespace, name }
    await makeObject(client, deployments, deployment(sample))
    await makeObject(client, podDisruptionBudgets, {
      metadata,
      spec: { maxUnavailable: mayBeAway, selector: { matchLabels: { app: name } } },
    })
  }
}

function samplesFor(size: ClusterSize): Sample[] {
  return [...size].flatMap(([pool, count]): Sample[] => {
    if (count === 0) return []
    if (pool === builtIn.master) return [{ name: 'desk', pool, replicas: count, mayBeAway: 1 }]
    if (pool !== builtIn.worker)
      return [{ name: `${pool}-router`, pool, replicas: 2, mayBeAway: 1 }]
    return [
      { name: 'web', pool, replicas: 2 * count, mayBeAway: 2 },
      { name: 'cart', pool, replicas: 2, mayBeAway: 1 },
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
